// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A small file whose bytes processes lock, each for itself. Any thread.
///
/// The locks belong to this object, not to the process: another one of the same process competes for them, and closing
/// another one does not release them. The system releases them if the process dies.
final class LockableFile: Sendable {
  // The headers have these numbers only with extensions that Swift does not see.
  #if canImport(Darwin)
  private static let setLock: Int32 = 90
  private static let seekHole: Int32 = 3
  #else
  private static let setLock: Int32 = 37
  private static let seekHole: Int32 = 4
  #endif
  /// The size of the smallest blocks of file systems.
  private static let blockSize = 512

  private let path: String
  private let descriptor: Int32

  /// Opens or creates the file.
  ///
  /// - Parameters:
  ///   - byteCount: the size that the file gets if it is smaller. The byte after it must not be locked.
  ///   - neighbour: the path of the file whose owner and permissions a new file gets.
  /// - Throws: `StorageError`.
  init(_ path: String, byteCount: Int, like neighbour: String) throws {
    self.path = path
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.error(path, "cannot be created") }
    self.descriptor = descriptor
    // Others may be using the bytes that are there.
    let place = byteCount..<byteCount + 1
    try awaitLock(place, milliseconds: Realm.busyTimeoutMilliseconds)
    defer { unlock(place) }
    try allocate(byteCount, like: neighbour)
  }

  /// Provides the bytes with room on the disk. A full disk would otherwise kill the process when it writes to the
  /// memory into which the file is mapped.
  private func allocate(_ byteCount: Int, like neighbour: String) throws {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw error("cannot be read") }
    let size = Int(status.st_size)
    if size == 0 { descriptor.adoptOwner(of: neighbour) }
    if size < byteCount { try clear(size..<byteCount) }
    for offset in stride(from: 0, to: byteCount, by: Self.blockSize)
    where lseek(descriptor, off_t(offset), Self.seekHole) == off_t(offset) {
      try clear(offset..<offset + 1)
    }
  }

  private func clear(_ bytes: Range<Int>) throws {
    let zeros = [UInt8](repeating: 0, count: bytes.count)
    let count = pwrite(descriptor, zeros, zeros.count, off_t(bytes.lowerBound))
    if count >= 0, count < zeros.count { errno = ENOSPC }
    guard count == zeros.count else { throw error("cannot be enlarged") }
  }

  deinit { close(descriptor) }

  /// Returns the error for an operation that has just failed.
  func error(_ failure: String) -> StorageError { Self.error(path, failure) }

  private static func error(_ path: String, _ failure: String) -> StorageError {
    let code = errno
    let kind: StorageError.Kind =
      switch code {
      case EACCES, EPERM: .permissionDenied
      case ENOSPC, EDQUOT: .diskFull
      default: .cannotOpen
      }
    return StorageError(kind: kind, message: "'\(path)' \(failure): \(String(cString: strerror(code))).")
  }

  /// Whether the file is still the one at its path.
  var isAtPath: Bool { descriptor.isFile(at: path) }

  /// Maps the beginning of the file into memory, which processes share; nil if that fails.
  func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return memory == MAP_FAILED ? nil : memory
  }

  /// Writes a byte, which those who watch the file notice.
  func touch(at offset: Int) {
    var byte: UInt8 = 0
    _ = pwrite(descriptor, &byte, 1, off_t(offset))
  }

  /// Locks bytes. Returns false if another holds one of them.
  func lock(_ bytes: Range<Int>) throws -> Bool {
    if request(F_WRLCK, bytes) { return true }
    guard errno == EAGAIN || errno == EACCES else { throw error("cannot be locked") }
    return false
  }

  /// Locks bytes once no other holds one of them.
  ///
  /// - Throws: `StorageError` of kind `busy` if that takes longer than the timeout.
  func awaitLock(_ bytes: Range<Int>, milliseconds: Int32) throws {
    let pause: Int32 = 2
    for _ in 0..<milliseconds / pause {
      if try lock(bytes) { return }
      usleep(UInt32(pause) * 1000)
    }
    throw StorageError(kind: .busy, message: "'\(path)' is locked by another process. Try again.")
  }

  func unlock(_ bytes: Range<Int>) { _ = request(F_UNLCK, bytes) }

  private func request(_ kind: some BinaryInteger, _ bytes: Range<Int>) -> Bool {
    var request = flock()
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = off_t(bytes.lowerBound)
    request.l_len = off_t(bytes.count)
    while fcntl(descriptor, Self.setLock, &request) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}

extension Int32 {
  /// Gives the file of a descriptor the permissions of another file and, if the process may do that, its owner.
  func adoptOwner(of neighbour: String) {
    var status = stat()
    guard stat(neighbour, &status) == 0 else { return }
    _ = fchmod(self, status.st_mode & 0o777)
    if geteuid() == 0 { _ = fchown(self, status.st_uid, status.st_gid) }
  }

  /// Whether the file of a descriptor is still the one at a path, and was neither deleted nor replaced.
  func isFile(at path: String) -> Bool {
    var (own, present) = (stat(), stat())
    guard fstat(self, &own) == 0, stat(path, &present) == 0 else { return false }
    return own.st_dev == present.st_dev && own.st_ino == present.st_ino
  }
}
