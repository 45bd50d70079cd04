// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore

/// The objects that a query set selects among those that a user may see, and the properties of these that the user
/// may see.
final class View {
  /// The part of a view for one class.
  struct Selection {
    /// The part of the subscriptions that the user may ask for.
    var query: Predicate
    /// That part, limited to what the user may see; `never` if nothing is left.
    var predicate: Predicate
    /// The properties that the user may see.
    var fields: FieldAccess

    /// - Parameter query: the query of the subscriptions.
    init(query: Predicate, disclosure: ClassDisclosure) {
      self.query = disclosure.visiblePart(of: query).withGatheredParts
      predicate = disclosure.selection(ofVisible: self.query)
      fields = disclosure.fields
    }

    /// - Parameter selected: the objects that the subscriptions ask for and the user may see.
    init(selected: Predicate, fields: FieldAccess) {
      query = selected
      predicate = selected
      self.fields = fields
    }
  }

  /// The identity of a view: the text of the query set, and that of the user's permissions (`ViewPermissions`).
  struct Identity: Hashable {
    var body: String
    var permissions = ViewPermissions.unrestrictedText

    /// Compares the texts by their bytes: texts that Swift considers equal can ask for different objects, or show
    /// different ones.
    static func == (left: Identity, right: Identity) -> Bool {
      UTF8Order.areEqual(left.body, right.body) && UTF8Order.areEqual(left.permissions, right.permissions)
    }

    func hash(into hasher: inout Hasher) {
      UTF8Order.hash(body, into: &hasher)
      UTF8Order.hash(permissions, into: &hasher)
    }
  }

  let identity: Identity
  private let queried: [String: Selection]
  private let selections: [String: Selection]

  /// - Parameter selections: by class name, for all classes with a query.
  init(_ identity: Identity, selections: [String: Selection]) {
    self.identity = identity
    queried = selections
    self.selections = selections.filter { $0.value.predicate != .never }
  }

  /// The body of the set that selects no objects at all, as in query version 0.
  static let emptyBody = "{}"

  var body: String { identity.body }

  /// Whether no object can be in the view.
  var isEmpty: Bool { selections.isEmpty }

  /// The names of the classes that can have objects in the view, sorted.
  var classNames: [String] { selections.keys.sorted() }

  /// The names of the classes with a query, sorted.
  var queriedClassNames: [String] { queried.keys.sorted() }

  /// Returns the predicate that the objects of a class in the view match.
  func predicate(of className: String) -> Predicate { selections[className]?.predicate ?? .never }

  func selects(from className: String) -> Bool { selections[className] != nil }

  /// Whether an object with the given image is in the view; false if the image is nil.
  func contains(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    guard let image, let selection = selections[className] else { return false }
    return selection.predicate.matches(ImageRow(image: image, layout: layout))
  }

  /// Whether an object with the given image is certainly in the view. False if the image lacks a field that
  /// permissions did not examine yet when it was recorded.
  func surelyContains(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    canTell(className: className, layout: layout)
      && contains(image, className: className, layout: layout)
  }

  /// Whether images of a layout suffice to tell which objects of a class are in the view.
  func canTell(className: String, layout: ImageLayout) -> Bool {
    guard let selection = selections[className] else { return false }
    return selection.predicate.rootProperties.allSatisfy { layout.index(of: $0) != nil }
  }

  /// Whether the subscriptions ask for an object with the given image, whether or not the user may see it. Conditions
  /// on hidden properties do not count.
  func asksFor(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    guard let image, let selection = queried[className] else { return false }
    return selection.query.matches(ImageRow(image: image, layout: layout))
  }
}

// MARK: Properties

extension View {
  /// Returns the properties of a class that may be seen.
  func fields(of className: String) -> FieldAccess { selections[className]?.fields ?? .only([]) }

  /// Whether the view shows the same properties of a class as another view.
  func showsTheSame(of className: String, as other: View) -> Bool {
    fields(of: className) == other.fields(of: className)
  }

  /// Whether a client that follows this view may see what an instruction reveals about an object in it.
  func shows(_ instruction: Instruction) -> Bool {
    guard let path = instruction.path else { return true }
    let fields = fields(of: path.object.table)
    return fields == .all || fields.includes(path)
  }

  /// Returns the instructions that a client that follows this view may see.
  func visible(_ instructions: [Instruction]) -> [Instruction] { instructions.filter(shows) }
}
