// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncWire

/// The objects that a query set selects among those that a user may see, and their properties that the user may see.
final class View {
  /// What a view has of one class.
  struct Selection {
    /// The part of the subscriptions that the user may ask for.
    var query: Predicate
    /// That and what the user may see; `never` if nothing.
    var predicate: Predicate
    /// The properties that the user may see.
    var fields: FieldAccess

    /// - Parameter query: what the subscriptions ask for.
    init(query: Predicate, disclosure: ClassDisclosure) {
      self.query = disclosure.visiblePart(of: query).withGatheredParts
      predicate = disclosure.selection(ofVisible: self.query)
      fields = disclosure.fields
    }

    /// - Parameter selected: what the subscriptions ask for and the user may see.
    init(selected: Predicate, fields: FieldAccess) {
      query = selected
      predicate = selected
      self.fields = fields
    }
  }

  /// What identifies a view: the text of the query set, and that of what the user may see (`ViewPermissions`).
  struct Identity: Hashable {
    var body: String
    var permissions = ViewPermissions.unrestrictedText

    /// Texts compare by their bytes: others that Swift takes for equal ask for other objects, or show them.
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

  /// No objects at all, as in query version 0.
  static let emptyBody = "{}"

  var body: String { identity.body }

  /// Whether no object can be in it.
  var isEmpty: Bool { selections.isEmpty }

  /// The names of the classes of which objects can be in it, sorted.
  var classNames: [String] { selections.keys.sorted() }

  /// The names of the classes with a query, sorted.
  var queriedClassNames: [String] { queried.keys.sorted() }

  /// What the objects of a class in the view match.
  func predicate(of className: String) -> Predicate { selections[className]?.predicate ?? .never }

  func selects(from className: String) -> Bool { selections[className] != nil }

  /// Whether an object of which this is an image is in the view; false for none.
  func contains(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    guard let image, let selection = selections[className] else { return false }
    return selection.predicate.matches(ImageRow(image: image, layout: layout))
  }

  /// Whether it is in the view, told by an image that may have been made before permissions looked at some field; then
  /// false.
  func surelyContains(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    canTell(className: className, layout: layout)
      && contains(image, className: className, layout: layout)
  }

  /// Whether images of a layout tell which objects of a class are in the view.
  func canTell(className: String, layout: ImageLayout) -> Bool {
    guard let selection = selections[className] else { return false }
    return selection.predicate.rootProperties.allSatisfy { layout.index(of: $0) != nil }
  }

  /// Whether the subscriptions ask for an object of which this is an image, whether or not it may be seen. What they ask of
  /// hidden properties does not count.
  func asksFor(_ image: ObjectImage?, className: String, layout: ImageLayout) -> Bool {
    guard let image, let selection = queried[className] else { return false }
    return selection.query.matches(ImageRow(image: image, layout: layout))
  }
}

// MARK: Properties

extension View {
  /// The properties of a class that may be seen.
  func fields(of className: String) -> FieldAccess { selections[className]?.fields ?? .only([]) }

  /// Whether the same properties of a class may be seen as in another view.
  func showsTheSame(of className: String, as other: View) -> Bool {
    fields(of: className) == other.fields(of: className)
  }

  /// Whether a client that follows this view may see what an instruction says of an object in it.
  func shows(_ instruction: Instruction) -> Bool {
    guard let path = instruction.path else { return true }
    let fields = fields(of: path.object.table)
    return fields == .all || fields.includes(path)
  }

  /// The instructions that a client that follows this view may see.
  func visible(_ instructions: [Instruction]) -> [Instruction] { instructions.filter(shows) }
}

/// Why a query set is refused, in words for the client.
struct QuerySetRefusal: Error {
  let message: String
  /// Whether there is nothing wrong but the size.
  var exceedsLimits = false

  init(message: String) { self.message = message }

  init(_ error: SyncQueryError) {
    exceedsLimits = error.kind == .limitsExceeded
    message = exceedsLimits ? "LimitsExceeded: \(error.message)" : error.message
  }

  /// LimitsExceeded: as an error of a session this code aborts Realm's clients. As an error of a query it does not, since
  /// they only look at the message then.
  var code: ErrorCode { exceedsLimits ? .limitsExceeded : .badQuery }
}
