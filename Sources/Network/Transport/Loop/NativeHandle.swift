// SPDX-License-Identifier: Apache-2.0

import CLibuv

/// An object that lives on an event loop and owns one of its handles.
protocol LoopResident: AnyObject {
  /// Called when the loop is about to stop. Close the handle.
  func loopStops()
  /// Called when the handle has been closed. No further callbacks follow.
  func handleClosed()
}

/// Collects output and sends it once at the end of a turn.
protocol FlushesAtEndOfTurn: AnyObject {
  func flush()
}

/// The memory of one libuv handle, and its link to the Swift object that owns it.
///
/// libuv needs an address that remains valid until the close callback has run. From ``attach(to:)`` until then, the
/// loop's table retains this object, and this object retains its owner. Confined to the loop's thread.
final class NativeHandle {
  let loop: EventLoop
  private let memory: UnsafeMutableRawPointer
  private var owner: (any LoopResident)?
  private(set) var isClosing = false

  /// - Parameter layout: The C type of the handle, such as `uv_tcp_t`.
  init<Layout>(loop: EventLoop, layout: Layout.Type) {
    self.loop = loop
    let size = MemoryLayout<Layout>.size
    memory = .allocate(byteCount: size, alignment: MemoryLayout<Layout>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { memory.deallocate() }

  /// Returns a typed pointer. Every libuv handle begins with the fields of its base types, so C code casts; this is
  /// the equivalent in Swift.
  func pointer<Layout>(as layout: Layout.Type = Layout.self) -> UnsafeMutablePointer<Layout> {
    memory.assumingMemoryBound(to: layout)
  }

  /// Links an initialised handle to its owner. From now on it must be closed.
  func attach(to owner: any LoopResident) {
    self.owner = owner
    pointer(as: uv_handle_t.self).pointee.data = Unmanaged.passUnretained(self).toOpaque()
    loop.register(self)
  }

  /// Closes the handle. The loop then calls the owner's ``LoopResident/handleClosed()``.
  func close() {
    loop.assertInLoop()
    guard !isClosing else { return }
    isClosing = true
    uv_close(pointer()) { handle in
      guard let handle = handle.map({ NativeHandle.from($0.pointee.data) }) else { return }
      handle.finishClosing()
    }
  }

  func loopStops() { owner?.loopStops() }

  private func finishClosing() {
    let owner = owner
    self.owner = nil
    loop.unregister(self)
    owner?.handleClosed()
    loop.endIfEmpty()
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> NativeHandle {
    Unmanaged<NativeHandle>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
  }

  /// Returns the owner referenced by a handle's `data` field in a C callback, or nil while the handle is closing.
  static func owner<Owner: LoopResident>(_ data: UnsafeMutableRawPointer?, _: Owner.Type) -> Owner? {
    from(data).owner.map { unsafeDowncast($0, to: Owner.self) }
  }
}
