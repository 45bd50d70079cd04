// SPDX-License-Identifier: Apache-2.0

extension Realm {
  /// Whether the realm is frozen: it stays on one version of the data, cannot be written or observed, and may be used
  /// on any thread, along with its objects, collections and results.
  public var isFrozen: Bool { handle.isFrozen }

  /// Returns a realm that stays on the data that this one shows; in a write transaction, those at its beginning. A
  /// frozen realm returns itself.
  ///
  /// The file keeps the data, and grows with what is written in the meantime, until the frozen realm and everything
  /// obtained from it are released. A class that is new to the file cannot be used with the frozen realm: name it in
  /// the configuration's `objectTypes`.
  public func freeze() -> Realm { Realm(_RealmHandle(frozen: handle)) }

  /// Returns the live realm of the calling thread for a frozen one. A live realm returns itself. A realm that cannot
  /// be opened stops the program.
  public func thaw() -> Realm {
    guard isFrozen else { return self }
    do { return try Realm(configuration: configuration) } catch { Misuse.stop("\(error)") }
  }

  /// Returns a frozen object. See `Object.freeze`.
  public func freeze<ObjectType: ObjectBase>(_ object: ObjectType) -> ObjectType { object.frozen() }

  /// Returns the live object of a frozen one; nil if it was deleted. See `Object.thaw`.
  public func thaw<ObjectType: ObjectBase>(_ object: ObjectType) -> ObjectType? { object.thawed() }

  /// Returns a frozen collection. See `RealmCollection.freeze`.
  public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
    collection.freeze()
  }

  /// Returns the live collection of a frozen one; nil if its object was deleted. See `RealmCollection.thaw`.
  public func thaw<Collection: RealmCollection>(_ collection: Collection) -> Collection? { collection.thaw() }

  /// Invalidates all objects and collections obtained from the realm, empties its results, and moves to the newest
  /// data, so that the file need not keep older ones. A write transaction is canceled. The realm itself remains usable.
  public func invalidate() {
    Misuse.require(!isFrozen, "Cannot invalidate a frozen Realm.")
    handle.live.invalidate()
    handle.live.keepInWrite()
    handle.live.asyncWrites.noteEnded(handle)
  }
}

extension _RealmHandle {
  fileprivate convenience init(frozen realm: _RealmHandle) {
    self.init(realm.isFrozen ? realm.live : realm.live.frozen())
  }
}

extension Referable where Self: ThreadConfined {
  /// Returns the value in the frozen realm of its version.
  ///
  /// - Parameter none: what to tell the developer if the value is in no realm.
  fileprivate func frozen(_ none: String) -> Self {
    guard let realm else { Misuse.stop(none) }
    if realm.isFrozen { return self }
    Misuse.require(!isInvalidated, "Object has been deleted or invalidated.")
    let frozenRealm = realm.freeze().handle
    frozenRealm.adoptClasses(of: realm.handle)
    guard let frozen = Self.resolve(makeReference(), in: frozenRealm) else {
      Misuse.stop("Cannot freeze an object in the same write transaction as it was created in.")
    }
    return frozen
  }

  /// Returns the value in the live realm of the thread; nil if it was deleted.
  ///
  /// - Parameter none: what to tell the developer if the value is in no realm.
  fileprivate func thawed(_ none: String) -> Self? {
    guard let realm else { Misuse.stop(none) }
    guard realm.isFrozen else { return self }
    let live = realm.thaw().handle
    live.adoptClasses(of: realm.handle)
    return Self.resolve(makeReference(), in: live)
  }
}

extension ObjectBase {
  /// Whether the object is that of a frozen realm.
  public final var isFrozen: Bool { _managed?.realm.isFrozen ?? false }

  fileprivate final func frozen() -> Self { frozen("Unmanaged objects cannot be frozen.") }

  fileprivate final func thawed() -> Self? { thawed("Unmanaged objects cannot be thawed.") }
}

extension ThreadConfined where Self: ObjectBase {
  /// Returns the object with its present values, which never change, for use on any thread. Objects that it links to
  /// are frozen, too. See `Realm.freeze`. An object in no realm, and one that the open write transaction has created, stop
  /// the program.
  public func freeze() -> Self { frozen() }

  /// Returns the live object in the realm of the calling thread, which may be written; nil if it was deleted, or if that
  /// realm still shows data in which it does not exist. A live object returns itself.
  public func thaw() -> Self? { thawed() }
}

extension ThreadConfined where Self: _PersistedCollection {
  public var isFrozen: Bool { managed?.realm.isFrozen ?? false }

  public func freeze() -> Self { frozen(Self.unmanagedRefusal) }

  public func thaw() -> Self? { thawed(Self.unmanagedRefusal) }
}

extension Results {
  /// Whether the results are those of a frozen realm.
  public var isFrozen: Bool { handle.isFrozen }

  /// Returns the results with their present objects and order, which never change, for use on any thread. See
  /// `Realm.freeze`.
  public func freeze() -> Results {
    guard case .values(let values) = source else { return frozen("") }
    guard !isFrozen, let frozen = values.map({ $0.frozenOrThawed() }) else { return self }
    return Results(frozen)
  }

  /// Returns the live results in the realm of the calling thread; nil if they belong to an object that was deleted.
  public func thaw() -> Results? {
    guard case .values(let values) = source else { return thawed("") }
    return isFrozen ? values.map { $0.frozenOrThawed() }.map { Results($0) } : self
  }
}

extension _PersistedCollection {
  /// Returns the frozen collection of a live one in a realm, and the live one of a frozen one; nil if there is none.
  fileprivate func frozenOrThawed() -> _PersistedCollection? {
    guard let realm = managed?.realm else { return nil }
    let other = realm.isFrozen ? Realm(realm).thaw().handle : Realm(realm).freeze().handle
    other.adoptClasses(of: realm)
    return type(of: self).resolve(makeReference(), in: other)
  }
}

extension Projection {
  /// Whether the projected object is frozen.
  public var isFrozen: Bool { rootObject.isFrozen }
}

extension ThreadConfined where Self: ProjectionObservable {
  /// Returns a projection of the frozen object. See `Object.freeze`.
  public func freeze() -> Self { Self(projecting: rootObject.frozen()) }

  /// Returns a projection of the live object; nil if it was deleted. See `Object.thaw`.
  public func thaw() -> Self? { rootObject.thawed().map { Self(projecting: $0) } }
}

extension ProjectedCollection {
  /// Whether the collection is that of a frozen realm.
  public var isFrozen: Bool { source.isFrozen }

  /// Returns the collection with its present contents. See `RealmCollection.freeze`.
  public func freeze() -> ProjectedCollection { ProjectedCollection(source.freeze()) }

  /// Returns the live collection; nil if its object was deleted. See `RealmCollection.thaw`.
  public func thaw() -> ProjectedCollection? { source.thaw().map { ProjectedCollection($0) } }
}

extension SectionedResults {
  /// Whether the sections are those of a frozen realm.
  public var isFrozen: Bool { elements.results.isFrozen }

  /// Returns the sections as they are now, which never change, for use on any thread. See `Realm.freeze`.
  public func freeze() -> SectionedResults {
    SectionedResults(elements: elements.with(elements.results.freeze()))
  }

  /// Returns the live sections in the realm of the calling thread; nil if what they belong to was deleted.
  public func thaw() -> SectionedResults? {
    elements.results.thaw().map { SectionedResults(elements: elements.with($0)) }
  }
}

extension ResultsSection {
  /// Whether the section is that of a frozen realm.
  public var isFrozen: Bool { elements.results.isFrozen }

  /// Returns the section as it is now, which never changes, for use on any thread. See `Realm.freeze`.
  public func freeze() -> ResultsSection {
    ResultsSection(key: key, elements: elements.with(elements.results.freeze()))
  }

  /// Returns the live section in the realm of the calling thread; nil if what it belongs to was deleted.
  public func thaw() -> ResultsSection? {
    elements.results.thaw().map { ResultsSection(key: key, elements: elements.with($0)) }
  }
}

extension LinkingObjects {
  /// Whether the objects are those of a frozen realm.
  public var isFrozen: Bool { results?.isFrozen ?? false }

  /// Returns the linking objects with their present contents, which never change, for use on any thread. See
  /// `Realm.freeze`.
  public func freeze() -> LinkingObjects { frozen("Unmanaged LinkingObjects cannot be frozen.") }

  /// Returns the live linking objects in the realm of the calling thread; nil if the object that they link to was deleted.
  public func thaw() -> LinkingObjects? { thawed("Unmanaged LinkingObjects cannot be thawed.") }
}
