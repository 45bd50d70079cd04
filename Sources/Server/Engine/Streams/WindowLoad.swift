// SPDX-License-Identifier: Apache-2.0

/// Incrementally loads the merge window of a file whose client has left much of its stream unacknowledged.
final class WindowLoad: StreamWork {
  let start: StreamWorkStart
  // The load starts anew when the client returns, because the client may have acknowledged more by then.
  let hasBegun = false
  let size = 0
  let holdsSnapshot = false
  private let file: LiveFile
  private let window: MergeWindow
  private let base: UInt64

  /// - Parameter base: the base of the oldest upload.
  init(_ file: LiveFile, _ window: MergeWindow, base: UInt64) {
    start = StreamWorkStart(file)
    self.file = file
    self.window = window
    self.base = base
  }

  func goOn(_ meter: TurnMeter) throws -> Bool {
    guard try window.load(file.record, meter) else { return false }
    return try window.scanBootstraps(after: base, meter)
  }

  func finish(_ live: LiveFile) -> PlacedBootstrap? {
    live.window = window
    return nil
  }
}
