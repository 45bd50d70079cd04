// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

/// Calls back on the loop when something happens that a handle of libuv watches for. Confined to the loop's thread. The
/// loop retains the watcher until it is cancelled.
public final class EventWatcher: LoopResident {
  private let handle: NativeHandle
  private var action: (() -> Void)?

  /// - Parameters:
  ///   - subject: the subject of the error if the operating system refuses, as in "watch *subject*".
  ///   - create: initializes the handle.
  ///   - start: starts the handle, with a callback that calls `happened`.
  init<Layout>(
    loop: EventLoop,
    subject: String,
    create: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Layout>) -> Int32,
    start: (UnsafeMutablePointer<Layout>) -> Int32,
    action: @escaping () -> Void
  ) throws(TransportError) {
    handle = NativeHandle(loop: loop, layout: Layout.self)
    guard !loop.isStopping else { throw .loopStopped }
    var code = create(loop.raw, handle.pointer())
    if code == 0 {
      self.action = action
      handle.attach(to: self)
      code = start(handle.pointer())
    }
    guard code == 0 else {
      cancel()
      throw TransportError(code: code, action: "watch \(subject)")
    }
  }

  /// Called by libuv, with the `data` of the handle.
  static func happened(_ data: UnsafeMutableRawPointer?) {
    NativeHandle.owner(data, EventWatcher.self)?.action?()
  }

  /// Ends the calls.
  public func cancel() {
    guard action != nil else { return }
    action = nil
    handle.close()
  }

  func loopStops() { cancel() }

  func handleClosed() {}
}
