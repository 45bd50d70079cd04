// SPDX-License-Identifier: Apache-2.0

/// A version number that threads can wait on until it grows. Any thread.
final class VersionGate: Sendable {
  private let version = Monitor<UInt64>(0)

  /// Raises the version and wakes all threads that wait for it.
  func open(_ newVersion: UInt64) { version.change { $0 = max($0, newVersion) } }

  /// Waits for a version after `seen`; returns false on timeout. The timeout is in milliseconds; 0 waits forever.
  func wait(after seen: UInt64, milliseconds: UInt64) -> Bool {
    version.wait(milliseconds: milliseconds == 0 ? nil : milliseconds) { $0 > seen ? true : nil } ?? false
  }
}
