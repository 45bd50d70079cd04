// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Places in the code where `Scripts/test-durability` kills the process (Docs/Reliability.md). In release builds,
/// reaching one has no effect.
public enum CrashPoint: Sendable {
  /// In a transaction.
  case serverBeforeHistoryAppend, serverAfterHistoryAppend
  /// An upload has been committed but not acknowledged; a DOWNLOAD, which acknowledges it, has been sent.
  case serverBeforeAcknowledgement, serverAfterAcknowledgement
  /// A subscription set takes effect in the stream of a file. In a transaction.
  case serverBeforeQueryChange, serverAfterQueryChange
  /// A batch of a bootstrap has been sent, and more batches follow.
  case serverInsideBootstrap
  /// The erasure of an object that has left a view is appended. In a transaction.
  case serverBeforeEviction, serverAfterEviction
  /// In a transaction.
  case serverBeforeCursors, serverAfterCursors
  /// Entries that a client has acknowledged, or will not receive, are being deleted. In a transaction.
  case serverInsideTrimming
  /// Data that clients no longer need is being deleted. In a transaction, also at server start.
  case serverInsideCompaction

  /// In a transaction of the app.
  case clientBeforeHistoryAppend, clientAfterHistoryAppend
  /// The transaction is committed, but sync has not been notified.
  case clientAfterCommit
  /// An UPLOAD is sent, which also acknowledges downloads.
  case clientBeforeUpload, clientAfterUpload
  /// A batch is stored. The first point is in the transaction, the second after it.
  case clientBeforeBootstrapBatch, clientAfterBootstrapBatch
  /// A complete bootstrap is applied. The first point is in the transaction, the second after it.
  case clientBeforeBootstrap, clientAfterBootstrap
  /// The state of a subscription set changes. In a transaction.
  case clientBeforeSetState, clientAfterSetState
  /// Objects leave the view. In a transaction.
  case clientBeforeEviction, clientAfterEviction
  /// In a transaction.
  case clientBeforeCursors, clientAfterCursors
  /// The history is trimmed after the cursors have been stored. In a transaction.
  case clientInsideTrimming
  /// A rejected write is stored. In the transaction that reverts it.
  case clientBeforeRejectedWrite, clientAfterRejectedWrite
}

extension [Instruction] {
  /// Whether an object is removed. An object that enters the view is also erased first, but then created.
  public var takesObjectsAway: Bool {
    var erased: Set<ObjectReference> = []
    for instruction in self {
      switch instruction {
      case .eraseObject(let object): erased.insert(object)
      case .createObject(let object): erased.remove(object)
      default: break
      }
    }
    return !erased.isEmpty
  }
}

extension ChangesetCodec {
  /// Whether a changeset removes objects; for the crash points only.
  public static func takesObjectsAway(_ changeset: [UInt8]) -> Bool {
    (try? decode(changeset))?.instructions.takesObjectsAway ?? false
  }
}

#if DEBUG
import Synchronization

extension CrashPoint: CaseIterable {
  /// The environment variable that selects the crash point: its name and the pass on which to crash, as in
  /// `clientAfterCommit:3`.
  public static let variable = "FLEXSYNC_CRASH_POINT"

  private struct Plan {
    let name: String
    let pass: Int

    init?(_ text: String) {
      let parts = text.split(separator: ":")
      guard parts.count == 2, let pass = Int(parts[1]) else { return nil }
      name = String(parts[0])
      self.pass = pass
    }
  }

  private static let plan = getenv(variable).flatMap { Plan(String(cString: $0)) }
  private static let passes = Atomic(0)

  /// Kills the process if this crash point and pass were selected.
  ///
  /// - Parameter condition: Whether this call counts as a pass. Not evaluated unless this crash point was selected.
  public static func reached(_ point: CrashPoint, if condition: @autoclosure () -> Bool = true) {
    guard let plan, plan.name == "\(point)", condition() else { return }
    guard passes.add(1, ordering: .relaxed).newValue == plan.pass else { return }
    kill(getpid(), SIGKILL)
  }
}
#else
extension CrashPoint {
  @inlinable @inline(__always)
  public static func reached(_ point: CrashPoint, if condition: @autoclosure () -> Bool = true) {}
}
#endif
