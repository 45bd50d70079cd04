// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

extension EventLoop {
  /// Calls `action` on the loop after the file at `path` has been written, by any process. Several writes may cause one
  /// call. Call it on the loop's thread.
  /// - Throws: ``TransportError`` if the operating system refuses, for example because the process or the user watches
  ///   too many files.
  public func watchFile(_ path: String, _ action: @escaping () -> Void) throws(TransportError) -> EventWatcher
  {
    assertInLoop()
    return try EventWatcher(
      loop: self,
      subject: "'\(path)'",
      create: uv_fs_event_init,
      start: {
        uv_fs_event_start($0, { watcher, _, _, _ in EventWatcher.happened(watcher?.pointee.data) }, path, 0)
      },
      action: action
    )
  }
}
