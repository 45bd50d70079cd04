// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// The permissions of a user for the classes of a query set: the part of `Permissions` that belongs to a view.
///
/// Its text is stored with the client file and with bootstraps, so that the view that a stream follows can be
/// recreated when rules, roles or the user's data have changed.
struct ViewPermissions: Hashable {
  /// The visible part of one class.
  struct Restriction: Hashable {
    /// The visible objects, in the query language.
    var objects: String
    var fields: FieldAccess

    static func == (left: Restriction, right: Restriction) -> Bool {
      UTF8Order.areEqual(left.objects, right.objects) && left.fields == right.fields
    }

    func hash(into hasher: inout Hasher) {
      UTF8Order.hash(objects, into: &hasher)
      hasher.combine(fields)
    }
  }

  /// The restrictions by class name; everything may be seen of a class that has none.
  private(set) var restrictions: [String: Restriction]

  static let unrestrictedText = "{}"

  /// Creates the permissions for some classes.
  init(_ permissions: Permissions, of classNames: [String]) {
    restrictions = [:]
    for name in classNames {
      guard let permission = permissions[name] else {
        restrictions[name] = Restriction(objects: Predicate.never.canonicalText, fields: .only([]))
        continue
      }
      guard permission.read != .always || permission.readableFields != .all else { continue }
      restrictions[name] = Restriction(
        objects: permission.read.canonicalText,
        fields: permission.readableFields
      )
    }
  }

  /// Parses `text`.
  init(text: String) throws(JSONError) {
    restrictions = [:]
    guard text != ViewPermissions.unrestrictedText else { return }
    for member in try JSON.parse(text).objectValue ?? [] {
      restrictions[member.name] = Restriction(
        objects: member.value["objects"]?.stringValue ?? Predicate.never.canonicalText,
        fields: FieldAccess(json: member.value)
      )
    }
  }

  /// Returns these permissions with some more classes hidden completely.
  func withNothing(of classNames: Set<String>) -> ViewPermissions {
    var result = self
    for name in classNames {
      result.restrictions[name] = Restriction(objects: Predicate.never.canonicalText, fields: .only([]))
    }
    return result
  }

  /// The permissions as text. Equal permissions have equal texts.
  var text: String {
    let members = restrictions.sorted { $0.key < $1.key }.map { name, restriction in
      JSON.Member(name, restriction.json)
    }
    return JSON.object(members).serialized
  }
}

extension FieldAccess {
  /// Parses `members`.
  fileprivate init(json: JSON) {
    func names(_ key: String) -> Set<String>? {
      (json[key]?.arrayValue?.compactMap(\.stringValue)).map { Set($0) }
    }
    self = names("visible").map { .only($0) } ?? .allExcept(names("hidden") ?? [])
    for member in json["parts"]?.objectValue ?? [] {
      set(member.name, to: FieldAccess(json: member.value), isKeyed: member.value["keyed"] == true)
    }
  }

  fileprivate var members: [JSON.Member] {
    let list = JSON.array(names.sorted().map(JSON.string))
    var members = [JSON.Member(isExclusion ? "hidden" : "visible", list)]
    if !parts.isEmpty {
      let inner = parts.sorted { $0.key < $1.key }.map { name, part in
        JSON.Member(name, .object(part.fields.members + (part.isKeyed ? [JSON.Member("keyed", true)] : [])))
      }
      members.append(JSON.Member("parts", .object(inner)))
    }
    return members
  }
}

extension ViewPermissions.Restriction {
  fileprivate var json: JSON { .object([JSON.Member("objects", .string(objects))] + fields.members) }
}
