// SPDX-License-Identifier: Apache-2.0

/// Loads what the uploads of a file are merged with, a part at a time, if its client has not acknowledged much of its
/// stream.
final class WindowLoad: StreamWork {
  let start: StreamWorkStart
  // It is begun anew when the client has come back, which may have acknowledged more then.
  let hasBegun = false
  let size = 0
  let holdsSnapshot = false
  private let file: LiveFile
  private let window: MergeWindow
  private let base: UInt64

  /// - Parameter base: of the oldest upload.
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
