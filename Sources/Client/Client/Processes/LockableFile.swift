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
  private static let awaitLock: Int32 = 91
  #else
  private static let setLock: Int32 = 37
  private static let awaitLock: Int32 = 38
  #endif

  private let path: String
  private let descriptor: Int32

  /// Opens or creates the file.
  ///
  /// - Parameter byteCount: the size that the file gets if it is smaller.
  /// - Throws: `StorageError`.
  init(_ path: String, byteCount: Int) throws {
    self.path = path
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.error(path, "cannot be created") }
    self.descriptor = descriptor
    var status = stat()
    guard fstat(descriptor, &status) == 0,
      status.st_size >= byteCount || ftruncate(descriptor, off_t(byteCount)) == 0
    else { throw error("cannot be enlarged") }
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
  func lock(_ bytes: Range<Int>) -> Bool { request(F_WRLCK, bytes, Self.setLock) }

  /// Locks bytes once no other holds one of them.
  func awaitLock(_ bytes: Range<Int>) { _ = request(F_WRLCK, bytes, Self.awaitLock) }

  func unlock(_ bytes: Range<Int>) { _ = request(F_UNLCK, bytes, Self.setLock) }

  private func request(_ kind: some BinaryInteger, _ bytes: Range<Int>, _ command: Int32) -> Bool {
    var request = flock()
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = off_t(bytes.lowerBound)
    request.l_len = off_t(bytes.count)
    while fcntl(descriptor, command, &request) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}

extension Int32 {
  /// Whether the file of a descriptor is still the one at a path, and was neither deleted nor replaced.
  func isFile(at path: String) -> Bool {
    var (own, present) = (stat(), stat())
    guard fstat(self, &own) == 0, stat(path, &present) == 0 else { return false }
    return own.st_dev == present.st_dev && own.st_ino == present.st_ino
  }
}
