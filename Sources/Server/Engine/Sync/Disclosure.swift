// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore

/// Decides what a user may learn of the objects of one class: the one place that bootstraps, streams and the answers to
/// uploads ask, so that no answer tells what another one hides.
struct ClassDisclosure {
  /// The objects that the user may see.
  let objects: Predicate
  /// The properties that the user may see, of these.
  let fields: FieldAccess

  static let nothing = ClassDisclosure(objects: .never, fields: .none)

  /// Whether there can be objects that the user does not see. Then a write that finds no object is answered like one that
  /// finds a hidden one.
  var hidesObjects: Bool { objects != .always }

  /// The part of a query that the user may ask. Subscriptions to one class come joined with OR; each of them that looks
  /// at a hidden property selects nothing, since which objects it selects would tell what the property contains.
  func visiblePart(of query: Predicate) -> Predicate {
    guard case .or(let branches) = query else { return looksAtHiddenFields(query) ? .never : query }
    let visible = branches.filter { !looksAtHiddenFields($0) }
    return visible.count == branches.count ? query : .any(visible)
  }

  /// The objects that the visible part of a query selects for the user.
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

/// Decides what the answers to a user's uploads may tell.
struct Disclosure {
  let schema: AppSchema
  let permissions: Permissions

  /// The user's part in the objects of a class. Nobody is told of asymmetric objects.
  subscript(className: String) -> ClassDisclosure {
    guard !schema.isAsymmetric(className), let permission = permissions[className] else { return .nothing }
    return ClassDisclosure(objects: permission.read, fields: permission.readableFields)
  }

  /// Whether the user may not know of an object that is there, and of which this is the image.
  func hides(_ object: ObjectReference, _ image: ObjectImage) -> Bool {
    let objects = self[object.table].objects
    if objects == .always { return false }
    return !objects.matches(ImageRow(image: image, layout: schema.layout(of: object.table)))
  }

  /// Whether there is such an object, as far as the user may know.
  func shows(_ object: ObjectReference) throws -> Bool {
    guard let image = try schema.image(of: object) else { return false }
    return !hides(object, image)
  }
}
