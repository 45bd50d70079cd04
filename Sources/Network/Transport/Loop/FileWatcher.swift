// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

/// Calls back on the loop after a file has been written. Confined to the loop's thread. The loop retains the watcher
/// until it is cancelled.
public final class FileWatcher: LoopResident {
  private let handle: NativeHandle
  private var action: (() -> Void)?

  fileprivate init(loop: EventLoop, path: String, action: @escaping () -> Void) throws(TransportError) {
    handle = NativeHandle(loop: loop, layout: uv_fs_event_t.self)
    guard !loop.isStopping else { throw .loopStopped }
    var code = uv_fs_event_init(loop.raw, handle.pointer())
    if code == 0 {
      self.action = action
      handle.attach(to: self)
      let notify: uv_fs_event_cb = { watcher, _, _, _ in
        NativeHandle.owner(watcher?.pointee.data, FileWatcher.self)?.action?()
      }
      code = uv_fs_event_start(handle.pointer(), notify, path, 0)
    }
    guard code == 0 else {
      cancel()
      throw TransportError(code: code, action: "watch '\(path)'")
    }
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

extension EventLoop {
  /// Calls `action` on the loop after the file at `path` has been written, by any process. Several writes may cause one
  /// call. Call it on the loop's thread.
  /// - Throws: ``TransportError`` if the operating system refuses, for example because the process or the user watches
  ///   too many files.
  public func watchFile(_ path: String, _ action: @escaping () -> Void) throws(TransportError) -> FileWatcher
  {
    assertInLoop()
    return try FileWatcher(loop: self, path: path, action: action)
  }
}
