// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The log of the process. Any thread.
enum Log {
  private struct Sink: Sendable {
    let callback: flx_log_callback_t
    let userdata: Userdata
  }

  private static let threshold = Atomic<UInt32>(flx_log_level_t.FLX_LOG_WARN.rawValue)
  private static let sink = Mutex<Sink?>(nil)

  /// Replaces the destination of the log; a nil callback means stderr.
  static func configure(
    threshold newThreshold: flx_log_level_t,
    callback: flx_log_callback_t?,
    userdata: Userdata
  ) {
    let previous = sink.withLock { sink in
      defer { sink = callback.map { Sink(callback: $0, userdata: userdata) } }
      return sink
    }
    threshold.store(newThreshold.rawValue, ordering: .relaxed)
    // Frees the previous userdata, outside the lock.
    withExtendedLifetime(previous) {}
  }

  /// Writes one line if its level reaches the threshold; the text is built only then.
  static func write(_ level: flx_log_level_t, _ message: @autoclosure () -> String) {
    guard level.rawValue >= threshold.load(ordering: .relaxed) else { return }
    let sink = sink.withLock { $0 }
    let text = message()
    guard let sink else { return writeToStandardError(level, text) }
    // Without a lock, because the program may do anything in its callback.
    text.withCText { sink.callback(sink.userdata.pointer, level, $0) }
  }

  private static func writeToStandardError(_ level: flx_log_level_t, _ message: String) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    let time = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      let length = strftime(buffer.baseAddress.unsafelyUnwrapped, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
      return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    "\(time) flexsync \(name(level)): \(message)\n".withCText { line in
      _ = write(STDERR_FILENO, line.data, line.size)
    }
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes, count)
    #else
    Darwin.write(descriptor, bytes, count)
    #endif
  }

  private static func name(_ level: flx_log_level_t) -> String {
    switch level {
    case .FLX_LOG_ALL: "all"
    case .FLX_LOG_TRACE: "trace"
    case .FLX_LOG_DEBUG: "debug"
    case .FLX_LOG_DETAIL: "detail"
    case .FLX_LOG_INFO: "info"
    case .FLX_LOG_WARN: "warning"
    case .FLX_LOG_ERROR: "error"
    case .FLX_LOG_FATAL: "fatal"
    default: "log"
    }
  }
}
