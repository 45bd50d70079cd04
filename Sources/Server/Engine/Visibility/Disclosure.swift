// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore

/// Decides what a user may learn about the objects of one class. Bootstraps, streams and the answers to uploads all
/// consult this type, so that no answer reveals what another one hides.
struct ClassDisclosure {
  /// The objects that the user may see.
  let objects: Predicate
  /// The properties of these objects that the user may see.
  let fields: FieldAccess

  static let nothing = ClassDisclosure(objects: .never, fields: .none)

  /// Whether there can be objects that the user does not see. If so, the answer to a write that finds no object is
  /// the same as to one that finds a hidden object.
  var hidesObjects: Bool { objects != .always }

  /// Returns the part of a query that the user is allowed to ask. Subscriptions to one class arrive joined with OR.
  /// Any of them that examines a hidden property selects nothing, because the selected objects would reveal the
  /// contents of that property.
  func visiblePart(of query: Predicate) -> Predicate {
    guard case .or(let branches) = query else { return looksAtHiddenFields(query) ? .never : query }
    let visible = branches.filter { !looksAtHiddenFields($0) }
    return visible.count == branches.count ? query : .any(visible)
  }

  /// Returns a predicate for the objects that the visible part of a query selects for the user.
  func selection(ofVisible query: Predicate) -> Predicate {
    switch (query, objects) {
    case (.never, _), (_, .never): .never
    case (.always, let condition), (let condition, .always): condition
    case (let query, let objects): .all([query, objects])
    }
  }

  private func looksAtHiddenFields(_ query: Predicate) -> Bool {
    query.rootProperties.contains { !fields.includesWholly($0) && $0 != "_id" }
  }
}

/// Decides what the answers to a user's uploads may reveal.
struct Disclosure {
  let schema: AppSchema
  let permissions: Permissions

  /// The user's access to the objects of a class. No user learns about asymmetric objects.
  subscript(className: String) -> ClassDisclosure {
    guard !schema.isAsymmetric(className), let permission = permissions[className] else { return .nothing }
    return ClassDisclosure(objects: permission.read, fields: permission.readableFields)
  }

  /// Whether an existing object with the given image must stay hidden from the user.
  func hides(_ object: ObjectReference, _ image: ObjectImage) -> Bool {
    let objects = self[object.table].objects
    if objects == .always { return false }
    return !objects.matches(ImageRow(image: image, layout: schema.layout(of: object.table)))
  }

  /// Whether the object exists and the user may know of it.
  func shows(_ object: ObjectReference) throws -> Bool {
    guard let image = try schema.image(of: object) else { return false }
    return !hides(object, image)
  }
}
