// SPDX-License-Identifier: Apache-2.0

/// A handle of an object of results that C gets again for another object once it has returned it: a loop over many
/// objects needs only one handle.
///
/// Both the loan and C keep the object and the cell. Which of them frees these is decided by the state of the cell,
/// because C may return the handle on another thread.
final class ObjectLoan {
  private let cell: UnsafeMutablePointer<HandleCell>
  // Nothing else accesses it, and checking that at run time would cost as much as an access.
  @exclusivity(unchecked) private var object: ManagedObject

  init(_ object: ManagedObject) {
    cell = HandlePool.take()
    self.object = object
  }

  deinit {
    // Unless C has returned its handle, that owns the object from now on. It must do so before the loan ends, because
    // another thread may return it at that moment.
    let owned = Unmanaged.passRetained(object)
    guard cell.pointee.endLoan() else { return }
    owned.release()
    HandlePool.give(cell)
  }

  /// Whether C has returned the handle and nothing else uses the object, so that it can become that of another row.
  @inline(__always)
  var isReturned: Bool { cell.pointee.isReturned && isKnownUniquelyReferenced(&object) }

  /// Calls `body` with the object, to which it counts no reference.
  @inline(__always)
  func withObject<Result>(_ body: (ManagedObject) -> Result) -> Result {
    Unmanaged.passUnretained(object)._withUnsafeGuaranteedRef(body)
  }

  /// The object if C has returned it.
  var returned: ManagedObject? { isReturned ? object : nil }

  /// Returns a handle of the object, which C must return.
  @inline(__always)
  func lend() -> OpaquePointer {
    let address = Unmanaged.passUnretained(object).toOpaque()
    return Handle.handle(cell, cell.pointee.beginLoan(address, .object))
  }
}

extension Results {
  /// Returns a handle of the object at an index, which the loan of the results lends; nil if C has not returned the last
  /// one or the row has not been read.
  @inline(__always)
  func relent(_ index: Int) -> OpaquePointer? {
    guard let loan = loan.map(Unmanaged.passUnretained) else { return nil }
    return loan._withUnsafeGuaranteedRef { loan in
      let loan = unsafeDowncast(loan, to: ObjectLoan.self)
      guard loan.isReturned, loan.withObject({ becomeCachedObject($0, at: index) }) else { return nil }
      return loan.lend()
    }
  }

  /// Returns a handle of the object at an index.
  func handle(at index: Int) throws -> OpaquePointer {
    if let object = cachedObject(at: index) { return Handle.retained(object) }
    let known = loan.map { unsafeDowncast($0, to: ObjectLoan.self) }
    let spare = known?.returned
    let object = try object(at: index, reusing: spare)
    // Only objects that were read together are likely to be part of a loop.
    guard object.isRead else { return Handle.retained(object) }
    if let known, let spare, object === spare { return known.lend() }
    let loan = ObjectLoan(object)
    self.loan = loan
    return loan.lend()
  }
}
