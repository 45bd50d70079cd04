// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The log of the process. Any thread.
enum Log {
  typealias Sink = @Sendable (LogLevel, String) -> Void

  private static let threshold = Atomic<Int32>(LogLevel.warn.rawValue)
  private static let sink = Mutex<Sink?>(nil)

  /// Replaces the destination of the log; nil means stderr.
  static func configure(threshold newThreshold: LogLevel, sink newSink: Sink?) {
    threshold.store(newThreshold.rawValue, ordering: .relaxed)
    sink.replace(with: newSink)
  }

  /// Writes one line if its level reaches the threshold; the text is built only then.
  static func write(_ level: LogLevel, _ message: @autoclosure () -> String) {
    guard level.rawValue >= threshold.load(ordering: .relaxed) else { return }
    let sink = sink.withLock { $0 }
    let text = message()
    guard let sink else { return writeToStandardError(level, text) }
    // Without a lock, because the program may do anything in its callback.
    sink(level, text)
  }

  private static func writeToStandardError(_ level: LogLevel, _ message: String) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    let time = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      let length = strftime(buffer.baseAddress.unsafelyUnwrapped, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
      return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    var line = "\(time) flexsync \(level.name): \(message)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes, count)
    #else
    Darwin.write(descriptor, bytes, count)
    #endif
  }
}
