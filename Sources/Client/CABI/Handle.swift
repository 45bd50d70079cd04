// SPDX-License-Identifier: Apache-2.0

/// Passes Swift objects across the C interface, as numbers that stand for an object until C has released them.
///
/// A handle is the address of a cell with the cell's generation in the upper bits. NULL, other pointers, handles of
/// another type and released handles are detected without accessing any object. They end the process with a message,
/// since the program has lost track of its memory.
enum Handle {
  /// The bits that hold the address.
  private static let addressMask: UInt = 1 << 48 - 1

  // MARK: Giving

  /// Returns a handle that C owns until it releases it.
  static func retained<Object: HandleTarget>(_ object: Object) -> OpaquePointer {
    object.handleSlot?.retained(object) ?? made(object)
  }

  /// Returns such a handle of the object at an index; nil if there is none.
  static func retained<Object: HandleTarget>(_ objects: [Object], at index: Int) -> OpaquePointer? {
    objects.indices.contains(index) ? retained(objects[index]) : nil
  }

  /// Lends C a handle for the duration of `body`.
  ///
  /// - Parameter receiver: the type of the callback, for error messages.
  static func lend<Object: HandleTarget, Result>(
    _ object: Object,
    to receiver: StaticString,
    _ body: (OpaquePointer) throws -> Result
  ) rethrows -> Result {
    let handle = retained(object)
    defer { release(handle, as: Object.self, function: receiver) }
    return try body(handle)
  }

  /// Returns the same handle with one more reference, which C must release as well.
  static func retain<Object: HandleTarget>(
    _ handle: OpaquePointer,
    as _: Object.Type,
    function: StaticString = #function
  ) -> OpaquePointer {
    // In the child of a fork nothing is retained, just as nothing is released.
    if !ForkGuard.isChild { checked(handle, Object.handleKind, function).pointee.retain() }
    return handle
  }

  /// Drops one of C's references.
  static func release<Object: HandleTarget>(
    _ handle: OpaquePointer?,
    as _: Object.Type,
    function: StaticString = #function
  ) {
    // In the child of a fork nothing is closed: files and threads belong to the parent.
    guard let handle, !ForkGuard.isChild else { return }
    let cell = checkedInParent(handle, Object.handleKind, function)
    let object = unmanaged(cell, Object.self)
    let outcome =
      object._withUnsafeGuaranteedRef { $0.handleSlot }?.release(cell, tag(of: handle, Object.handleKind))
      ?? cell.pointee.release(tag(of: handle, Object.handleKind))
    switch outcome {
    case .kept, .returned: break
    case .ended:
      HandlePool.give(cell)
      object.release()
    case .wasReleased: refuse(UInt(bitPattern: handle), Object.handleKind, function)
    }
  }

  static func made<Object: HandleTarget>(_ object: Object) -> OpaquePointer {
    let cell = HandlePool.take()
    let generation = cell.pointee.begin(Unmanaged.passRetained(object).toOpaque(), Object.handleKind)
    return handle(cell, generation)
  }

  /// Returns the handle that a cell stands for in one of its generations.
  @inline(__always)
  static func handle(_ cell: UnsafeMutablePointer<HandleCell>, _ generation: UInt16) -> OpaquePointer {
    OpaquePointer(bitPattern: UInt(bitPattern: cell) | UInt(generation) << 48).unsafelyUnwrapped
  }

  // MARK: Taking

  /// Returns the object behind a handle.
  static func object<Object: HandleTarget>(
    _ handle: OpaquePointer,
    as _: Object.Type = Object.self,
    function: StaticString = #function
  ) -> Object {
    unmanaged(checked(handle, Object.handleKind, function), Object.self).takeUnretainedValue()
  }

  /// Calls `body` with the object behind a handle without retaining it, since the caller's reference keeps it alive.
  /// For calls so short that reference counting would be noticeable. `body` must not call into the program.
  ///
  /// - Parameter isInParent: whether the caller knows that this is no child of a fork.
  @inline(__always)
  static func with<Object: HandleTarget, Result>(
    _ handle: OpaquePointer,
    as _: Object.Type,
    isInParent: Bool = false,
    function: StaticString = #function,
    _ body: (Object) throws -> Result
  ) rethrows -> Result {
    let cell =
      isInParent
      ? checkedInParent(handle, Object.handleKind, function) : checked(handle, Object.handleKind, function)
    return try unmanaged(cell, Object.self)._withUnsafeGuaranteedRef { try body($0) }
  }

  /// Calls `body` with an object that belongs to a realm, for functions that return no status: if another thread is
  /// using the realm, the process ends with a message.
  static func confined<Object: ConfinedTarget, Result>(
    _ handle: OpaquePointer,
    as _: Object.Type,
    function: StaticString = #function,
    _ body: (Object) throws -> Result
  ) rethrows -> Result {
    let object = object(handle, as: Object.self, function: function)
    guard object.claim.enter() else { refuseThread(Object.handleKind, function) }
    defer { object.claim.leave() }
    return try body(object)
  }

  @inline(__always)
  private static func unmanaged<Object: AnyObject>(_ cell: UnsafeMutablePointer<HandleCell>, _: Object.Type)
    -> Unmanaged<Object>
  {
    let address = UnsafeRawPointer(bitPattern: cell.pointee.object.load(ordering: .relaxed))
    return Unmanaged<Object>.fromOpaque(address.unsafelyUnwrapped)
  }

  /// Returns the cell of a handle of the given kind. Any other handle ends the process, as does every handle in the
  /// child of a fork, where locks may be held by threads that no longer exist. Functions that can report this
  /// differently have already done so.
  @inline(__always)
  private static func checked(_ handle: OpaquePointer, _ kind: HandleKind, _ function: StaticString)
    -> UnsafeMutablePointer<HandleCell>
  {
    guard !ForkGuard.isChild else { refuseInChild(kind, function) }
    return checkedInParent(handle, kind, function)
  }

  /// `checked` for callers who know that this is no child of a fork.
  @inline(__always)
  private static func checkedInParent(_ handle: OpaquePointer, _ kind: HandleKind, _ function: StaticString)
    -> UnsafeMutablePointer<HandleCell>
  {
    let bits = UInt(bitPattern: handle)
    guard isPossible(bits), let cell = cell(of: bits), cell.pointee.tag == tag(of: handle, kind) else {
      refuse(bits, kind, function)
    }
    return cell
  }

  /// Whether the bits can be those of a handle: a generation and the address of a cell.
  @inline(__always)
  private static func isPossible(_ bits: UInt) -> Bool { bits >> 48 != 0 && bits & 7 == 0 }

  /// The tag of the cell until the handle is released.
  @inline(__always)
  private static func tag(of handle: OpaquePointer, _ kind: HandleKind) -> UInt32 {
    UInt32(truncatingIfNeeded: UInt(bitPattern: handle) >> 48) << 16 | kind.rawValue
  }

  @inline(__always)
  static func cell(of bits: UInt) -> UnsafeMutablePointer<HandleCell>? {
    UnsafeMutablePointer(bitPattern: bits & addressMask)
  }

  /// Ends the process because two threads use the same object.
  static func refuseThread(_ kind: HandleKind, _ function: StaticString) -> Never {
    Misuse.abort(
      function,
      "the argument '\(kind.words.argument)' belongs to a realm that another thread is using"
    )
  }

  @inline(never)
  private static func refuseInChild(_ kind: HandleKind, _ function: StaticString) -> Never {
    Misuse.abort(
      function,
      "the argument '\(kind.words.argument)' belongs to the process that this one was forked from "
        + "and cannot be used here"
    )
  }

  @inline(never)
  private static func refuse(_ bits: UInt, _ wanted: HandleKind, _ function: StaticString) -> Never {
    let trouble: String
    if bits == 0 {
      trouble = "is NULL"
    } else if !isPossible(bits) {
      trouble = "is not a FlexSync handle"
    } else if let tag = cell(of: bits)?.pointee.tag, UInt(tag >> 16) == bits >> 48,
      let kind = HandleKind(rawValue: tag & 0xffff)
    {
      trouble = "is a \(kind.words.type) *"
    } else {
      trouble = "was already released"
    }
    Misuse.abort(
      function,
      "the argument '\(wanted.words.argument)' \(trouble); "
        + "it must be a \(wanted.words.type) * that has not been released"
    )
  }
}
