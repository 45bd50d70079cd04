// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// Finds an object, a collection or results again in another handle of the same file: `flx_reference_t`.
/// Immutable, and usable on any thread.
final class Reference: Sendable {
  /// An object: the name of its class and its row, which no other object of the file gets once this one is committed.
  struct ObjectPlace: Sendable {
    let className: String
    let row: Int64
    /// The primary key, which tells the object from one of another file that was put in place of this one.
    let key: PrimaryKey
    /// The fate of the write transaction that created the object; nil for an object that was committed before.
    let creation: WriteFate?
  }

  /// The property of an object.
  struct PropertyPlace: Sendable {
    let object: ObjectPlace
    let property: String
  }

  /// A property that links to objects.
  struct Origin: Sendable {
    let className: String
    let property: String
  }

  /// The objects that a query finds, among those that hold links or are members of a collection if there is a place.
  struct ResultsPlace: Sendable {
    let query: BoundQuery
    var backlinks: (target: ObjectPlace, origin: Origin)?
    var members: PropertyPlace?
  }

  enum Target: Sendable {
    case object(ObjectPlace)
    case collection(CollectionKind, PropertyPlace)
    case results(ResultsPlace)
  }

  let target: Target
  // Not the coordinator, which would keep the realm open.
  private let path: String
  private let deletionCount: Int
  /// The version of the data that a realm must show to have the target; 0 for one of a frozen realm, to which live ones do
  /// not have to advance.
  private let version: UInt64

  init(_ target: Target, in realm: Realm) {
    self.target = target
    path = realm.coordinator.path
    deletionCount = RealmRegistry.deletionCount(of: path)
    version = realm.isFrozen ? 0 : realm.seenVersion + (realm.isInWrite ? 1 : 0)
  }

  /// Advances another handle of the file to data at least as new as those of the reference.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT for a realm of another file, `StorageError`.
  func reach(in realm: Realm) throws {
    try realm.requireOpen()
    guard realm.coordinator.path == path else {
      throw CoreError.invalidArgument(
        "The reference belongs to '\(path)', not to '\(realm.coordinator.path)'."
      )
    }
    if realm.seenVersion < version { _ = try realm.refresh() }
  }

  /// Whether the file of the reference has not been deleted since: another one may be at its path.
  fileprivate var isOfPresentFile: Bool { RealmRegistry.deletionCount(of: path) == deletionCount }

  /// The error for a reference to something else.
  func mismatch(_ wanted: String) -> CoreError {
    let found =
      switch target {
      case .object: "an object"
      case .collection(let kind, _): "a \(kind)"
      case .results: "results"
      }
    return CoreError(.typeMismatch, "The reference leads to \(found), not to \(wanted).")
  }
}

// MARK: - Making

extension ManagedObject {
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func makeReference() throws -> Reference {
    Reference(.object(try place()), in: realm)
  }

  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  fileprivate func place() throws -> Reference.ObjectPlace {
    _ = try currentValues()
    let creation = realm.isInWrite ? realm.writeLog.fate(ofCreated: info.key, row: row) : nil
    return Reference.ObjectPlace(className: info.name, row: row, key: try primaryKey(), creation: creation)
  }
}

extension CollectionWatch {
  /// - Parameter kind: the kind of the collection that is watched.
  /// - Throws: `CoreError` OBJECT_INVALIDATED, UNSUPPORTED for a collection in a mixed value.
  func makeReference(_ kind: CollectionKind) throws -> Reference {
    if let nested { throw nested.cannotBeReferredTo }
    return Reference(.collection(kind, try place()), in: object.realm)
  }

  fileprivate func place() throws -> Reference.PropertyPlace {
    Reference.PropertyPlace(object: try object.place(), property: column.schema.name)
  }
}

extension Results {
  func makeReference() throws -> Reference {
    try realm.requireOpen()
    var place = Reference.ResultsPlace(query: query)
    if let backlinks {
      let origin = backlinks.origin
      place.backlinks = (
        try backlinks.target.place(),
        Reference.Origin(className: origin.table.name, property: origin.schema.name)
      )
    }
    place.members = try members?.watch.place()
    return Reference(.results(place), in: realm)
  }
}

// MARK: - Resolving

extension Realm {
  /// Returns the object of a reference; nil if it was deleted.
  ///
  /// - Throws: `CoreError` TYPE_MISMATCH, NO_SUCH_CLASS.
  func object(_ reference: Reference) throws -> ManagedObject? {
    try reference.reach(in: self)
    guard case .object(let place) = reference.target else { throw reference.mismatch("an object") }
    return try object(at: place, reference)
  }

  /// Returns the object that holds the collection of a reference, and the collection's property; nil if the object was
  /// deleted.
  ///
  /// - Throws: `CoreError` TYPE_MISMATCH, NO_SUCH_CLASS, NO_SUCH_PROPERTY.
  func holder(_ reference: Reference, _ wanted: CollectionKind) throws
    -> (object: ManagedObject, property: flx_property_key_t)?
  {
    try reference.reach(in: self)
    guard case .collection(wanted, let place) = reference.target else {
      throw reference.mismatch("a \(wanted)")
    }
    guard let object = try object(at: place.object, reference) else { return nil }
    return (object, flx_property_key_t(try object.info.column(named: place.property).index))
  }

  /// Returns the results of a reference; nil if the object was deleted whose backlinks or members they show.
  ///
  /// - Throws: `CoreError` TYPE_MISMATCH, NO_SUCH_CLASS, NO_SUCH_PROPERTY.
  func results(_ reference: Reference) throws -> Results? {
    try reference.reach(in: self)
    guard case .results(let place) = reference.target else { throw reference.mismatch("results") }
    let info = try schema.requireClass(named: place.query.className)
    var backlinks: Backlinks?
    if let (target, origin) = place.backlinks {
      guard let target = try object(at: target, reference) else { return nil }
      let column = try schema.requireClass(named: origin.className).column(named: origin.property)
      backlinks = Backlinks(target: target, origin: column)
    }
    var members: Members?
    if let place = place.members {
      guard let object = try object(at: place.object, reference) else { return nil }
      let column = try object.info.column(named: place.property)
      members = Members(watch: CollectionWatch(object: object, column: column))
    }
    return Results(self, info, place.query, backlinks: backlinks, members: members)
  }

  private func object(at place: Reference.ObjectPlace, _ reference: Reference) throws -> ManagedObject? {
    let object = ManagedObject(self, try schema.requireClass(named: place.className), row: place.row)
    guard reference.isOfPresentFile, place.creation?.isCanceled != true, object.isValid,
      try object.primaryKey() == place.key
    else { return nil }
    return object
  }
}

extension ClassInfo {
  /// - Throws: `CoreError` NO_SUCH_PROPERTY.
  fileprivate func column(named name: String) throws -> Column {
    guard let column = table.column(named: name) else {
      throw CoreError(.noSuchProperty, "The class '\(self.name)' has no property '\(name)' in this realm.")
    }
    return try self.column(flx_property_key_t(column.index))
  }
}
