// SPDX-License-Identifier: Apache-2.0

import CLibuv

/// What lives on an event loop and owns one of its handles.
protocol LoopResident: AnyObject {
  /// The loop is about to stop: close the handle.
  func loopStops()
  /// The handle is closed; nothing will be called any more.
  func handleClosed()
}

/// Gathers output and sends it once at the end of a turn.
protocol FlushesAtEndOfTurn: AnyObject {
  func flush()
}

/// The memory of one libuv handle and its tie to the Swift object behind it.
///
/// libuv needs an address that stays valid until the close callback has run. So the loop's table keeps this
/// object, and this object its owner, from ``attach(to:)`` until then. Confined to the loop's thread.
final class NativeHandle {
  let loop: EventLoop
  private let memory: UnsafeMutableRawPointer
  private var owner: (any LoopResident)?
  private(set) var isClosing = false

  /// - Parameter layout: the C type of the handle, such as `uv_tcp_t`.
  init<Layout>(loop: EventLoop, layout: Layout.Type) {
    self.loop = loop
    let size = MemoryLayout<Layout>.size
    memory = .allocate(byteCount: size, alignment: MemoryLayout<Layout>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { memory.deallocate() }

  /// Every libuv handle begins with the fields of its base types, so C code casts; this is Swift's cast.
  func pointer<Layout>(as layout: Layout.Type = Layout.self) -> UnsafeMutablePointer<Layout> {
    memory.assumingMemoryBound(to: layout)
  }

  /// Ties an initialised handle to its owner. From now on it must be closed.
  func attach(to owner: any LoopResident) {
    self.owner = owner
    pointer(as: uv_handle_t.self).pointee.data = Unmanaged.passUnretained(self).toOpaque()
    loop.register(self)
  }

  /// Closes the handle; the owner's ``LoopResident/handleClosed()`` follows from the loop.
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

  /// The owner behind the `data` field that a C callback finds in its handle; nil while it is closing.
  static func owner<Owner: LoopResident>(_ data: UnsafeMutableRawPointer?, _: Owner.Type) -> Owner? {
    from(data).owner.map { unsafeDowncast($0, to: Owner.self) }
  }
}
