// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Places in the code where `Scripts/test-durability` has processes killed (Docs/Reliability.md). In release builds,
/// to reach one does nothing.
public enum CrashPoint: Sendable {
  /// In a transaction.
  case serverBeforeHistoryAppend, serverAfterHistoryAppend
  /// An upload is committed, and not acknowledged; a DOWNLOAD, which acknowledges, is on its way.
  case serverBeforeAcknowledgement, serverAfterAcknowledgement
  /// A subscription set takes effect in the stream of a file. In a transaction.
  case serverBeforeQueryChange, serverAfterQueryChange
  /// A batch of a bootstrap is on its way, and more are to come.
  case serverInsideBootstrap
  /// The erasure of an object that has left a view is placed. In a transaction.
  case serverBeforeEviction, serverAfterEviction
  /// In a transaction.
  case serverBeforeCursors, serverAfterCursors
  /// Entries that a client has acknowledged, or will not get, are being forgotten. In a transaction.
  case serverInsideTrimming
  /// What no client needs any more is being forgotten. In a transaction, also when the server starts.
  case serverInsideCompaction

  /// In a transaction of the app.
  case clientBeforeHistoryAppend, clientAfterHistoryAppend
  /// The transaction is committed, and sync is not told.
  case clientAfterCommit
  /// An UPLOAD goes out, which also acknowledges downloads.
  case clientBeforeUpload, clientAfterUpload
  /// A batch is stored; before in a transaction, after it behind.
  case clientBeforeBootstrapBatch, clientAfterBootstrapBatch
  /// A whole bootstrap is applied; before in a transaction, after it behind.
  case clientBeforeBootstrap, clientAfterBootstrap
  /// The state of a subscription set changes. In a transaction.
  case clientBeforeSetState, clientAfterSetState
  /// Objects leave the view. In a transaction.
  case clientBeforeEviction, clientAfterEviction
  /// In a transaction.
  case clientBeforeCursors, clientAfterCursors
  /// The history is cut, behind the cursors. In a transaction.
  case clientInsideTrimming
  /// A write that the server takes back is kept. In the transaction that takes it back.
  case clientBeforeRejectedWrite, clientAfterRejectedWrite
}

extension [Instruction] {
  /// Whether an object leaves. One that comes is erased, too, and then created.
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

#if DEBUG
import Synchronization

extension CrashPoint: CaseIterable {
  /// The variable with what to die of: a name and the number of the pass, as in `clientAfterCommit:3`.
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

  /// Kills the process if it is its turn here.
  ///
  /// - Parameter condition: what makes it the place; not asked if the process is not to die here.
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
