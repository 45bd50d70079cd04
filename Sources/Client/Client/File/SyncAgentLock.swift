// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The right to sync a file, held by one client at a time across all processes.
///
/// Two clients that upload the history of one file would corrupt its progress. The lock is on a separate file next
/// to the realm, because SQLite locks the realm file itself. The system releases it if the process dies.
public final class SyncAgentLock: Sendable {
  let descriptor: Int32

  /// Takes the lock for a realm file and holds it for the lifetime of this object.
  ///
  /// - Parameter waits: whether to block the thread while another client holds it.
  /// - Throws: `StorageError` of kind `syncAgentActive` if another client holds it.
  public init(path: String, waits: Bool = false) throws {
    let lockPath = "\(path).lock"
    while true {
      let descriptor = try Self.lock(lockPath, waits: waits, path)
      if descriptor.isFile(at: lockPath) {
        self.descriptor = descriptor
        return
      }
      // Whoever held it has deleted the file together with the realm.
      close(descriptor)
    }
  }

  /// Takes the lock if no other client holds it.
  public static func ifFree(path: String) throws -> SyncAgentLock? {
    do {
      return try SyncAgentLock(path: path)
    } catch let error as StorageError where error.kind == .syncAgentActive {
      return nil
    }
  }

  private static func lock(_ lockPath: String, waits: Bool, _ path: String) throws -> Int32 {
    let descriptor = openFile(lockPath, like: path)
    guard descriptor >= 0 else {
      let code = errno
      let kind: StorageError.Kind =
        switch code {
        case EACCES: .permissionDenied
        case ENOSPC, EDQUOT: .diskFull
        default: .cannotOpen
        }
      throw StorageError(
        kind: kind,
        message: "The lock file '\(lockPath)' cannot be created: \(String(cString: strerror(code)))."
      )
    }
    while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      close(descriptor)
      guard code == EWOULDBLOCK else {
        throw StorageError(
          kind: .inputOutput,
          message: "'\(lockPath)' cannot be locked: \(String(cString: strerror(code)))."
        )
      }
      throw StorageError(
        kind: .syncAgentActive,
        message:
          "Another process syncs '\(path)', and the file has to stay until it stops. Close the realm there, or end that "
          + "process, and try again."
      )
    }
    return descriptor
  }

  /// Opens or creates the lock file, with the owner and the permissions of the realm, because other users of the realm
  /// need it. To lock it, reading is enough.
  private static func openFile(_ lockPath: String, like path: String) -> Int32 {
    let created = open(lockPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    if created >= 0 {
      created.adoptOwner(of: path)
      return created
    }
    return errno == EEXIST ? open(lockPath, O_RDONLY | O_CREAT | O_CLOEXEC, 0o644) : created
  }

  deinit {
    // Closing alone would not release it while a child that another thread has forked, and that has not called `exec`
    // yet, has a copy of the descriptor.
    if !ForkGuard.isChild { flock(descriptor, LOCK_UN) }
    close(descriptor)
  }
}
