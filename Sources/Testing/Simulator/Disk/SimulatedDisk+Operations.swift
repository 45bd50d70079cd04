// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The disk operations that SQLite calls. The caller must hold the lock.
extension SimulatedDisk {
  func open(_ path: String, flags: Int32) throws(DiskFailure) -> OpenFile {
    try begin(.open)
    let file: SimulatedFile
    if let existing = directory.files[path] {
      guard flags & SQLITE_OPEN_EXCLUSIVE == 0 else { throw failure(SQLITE_CANTOPEN, EEXIST) }
      file = existing
    } else {
      guard flags & SQLITE_OPEN_CREATE != 0 else { throw failure(SQLITE_CANTOPEN, ENOENT) }
      try beginChange(.open) { _ = directory.create(path) }
      file = directory.create(path)
    }
    let isDeletedOnClose = flags & SQLITE_OPEN_DELETEONCLOSE != 0
    return OpenFile(disk: self, path: path, file: file, isDeletedOnClose: isDeletedOnClose, epoch: epoch)
  }

  func close(_ open: OpenFile) {
    open.unmap()
    open.lowerLock(to: SQLITE_LOCK_NONE)
    if open.isDeletedOnClose, open.epoch == epoch { directory.delete(open.path) }
  }

  func delete(_ path: String, syncsDirectory: Bool) throws(DiskFailure) {
    try begin(.delete)
    guard directory.files[path] != nil else { throw failure(SQLITE_IOERR | 23 << 8, ENOENT) }
    try beginChange(.delete) { directory.delete(path) }
    directory.delete(path)
    if syncsDirectory { directory.sync() }
  }

  /// Returns whether a file exists. SQLite expects empty files to count as missing, except when it checks write
  /// permission.
  func canAccess(_ path: String, flags: Int32) throws(DiskFailure) -> Bool {
    try begin(.access)
    guard let file = directory.files[path] else { return false }
    return flags != SQLITE_ACCESS_EXISTS || !file.content.isEmpty
  }

  /// Reads into a buffer and returns the number of bytes that were available.
  func read(_ open: OpenFile, into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskFailure)
    -> Int
  {
    try begin(.read, open)
    let count = open.file.read(into: target, at: offset)
    counters.readBytes += count
    return count
  }

  func write(_ open: OpenFile, _ bytes: [UInt8], at offset: Int) throws(DiskFailure) {
    try begin(.write, open) { open.file.write(beginning(of: bytes), at: offset) }
    try beginChange(.write) { open.file.write(beginning(of: bytes), at: offset) }
    try takeRoom(offset + bytes.count - open.file.content.count) { free in
      open.file.write(Array(bytes.prefix(open.file.content.count + free - offset)), at: offset)
    }
    counters.writtenBytes += bytes.count
    open.file.write(bytes, at: offset)
  }

  func truncate(_ open: OpenFile, to size: Int) throws(DiskFailure) {
    try begin(.truncate, open)
    try beginChange(.truncate) { open.file.resize(to: size) }
    try takeRoom(size - open.file.content.count)
    open.file.resize(to: size)
  }

  func sync(_ open: OpenFile) throws(DiskFailure) {
    try begin(.sync, open)
    try beginChange(.sync) {}
    open.file.sync()
    directory.didSync(open.file)
  }

  func size(_ open: OpenFile) throws(DiskFailure) -> Int {
    try begin(.size, open)
    return open.file.content.count
  }

  // MARK: Locks

  func lock(_ open: OpenFile, _ level: Int32) throws(DiskFailure) {
    try begin(.lock, open)
    guard open.locks.raise(&open.lockLevel, to: level, for: ObjectIdentifier(open)) else {
      throw failure(SQLITE_BUSY, EAGAIN)
    }
  }

  func isReserved(_ open: OpenFile) throws(DiskFailure) -> Bool {
    try begin(.lock, open)
    return open.locks.isReserved
  }

  /// Returns a region of the shared memory; nil if it does not exist and must not be created.
  func sharedRegion(_ open: OpenFile, _ index: Int, size: Int, mayExtend: Bool) throws(DiskFailure)
    -> UnsafeMutableRawPointer?
  {
    try begin(.sharedMemory, open)
    let memory = open.sharedMemory ?? open.file.sharedMemory ?? SharedMemory()
    open.sharedMemory = memory
    open.file.sharedMemory = memory
    guard index < memory.regions.count || mayExtend else { return nil }
    while memory.regions.count <= index {
      do {
        try takeRoom(size)
      } catch {
        throw failure(SQLITE_IOERR | 19 << 8, ENOSPC)
      }
      memory.addRegion(ofSize: size)
    }
    return memory.regions[index].baseAddress
  }

  func lockShared(_ open: OpenFile, _ slots: Range<Int>, isExclusive: Bool) throws(DiskFailure) {
    try begin(.lock, open)
    guard let memory = open.sharedMemory else { throw failure(SQLITE_IOERR | 20 << 8, EINVAL) }
    guard memory.lock(slots, isExclusive: isExclusive, &open.sharedHoldings) else {
      throw failure(SQLITE_BUSY, EAGAIN)
    }
  }

  // MARK: Faults

  /// Counts an operation. If it must fail, runs `partly` to perform a part of it and throws.
  private func begin(_ operation: DiskOperation, _ open: OpenFile? = nil, partly: () -> Void = {})
    throws(DiskFailure)
  {
    counters.counts[operation, default: 0] += 1
    guard !hasCrashed, open.map({ $0.epoch == epoch }) ?? true else {
      throw failure(operation.failure, EIO)
    }
    guard faults.strikes(operation) else { return }
    counters.injectedFailures += 1
    partly()
    throw failure(operation.failure, EIO)
  }

  /// Counts a change. If a crash is due, crashes in the middle of the change, which happens partly or not at all.
  private func beginChange(_ operation: DiskOperation, partly: () -> Void) throws(DiskFailure) {
    changes += 1
    guard let crash = faults.crashDuringChange() else { return }
    if generator.number(below: 4) > 0 { partly() }
    perform(crash)
    throw failure(operation.failure, EIO)
  }

  /// Ensures that there is room for more bytes. If there is not, `partly` may use what is left.
  private func takeRoom(_ growth: Int, partly: (Int) -> Void = { _ in }) throws(DiskFailure) {
    guard growth > 0, let room else { return }
    let free = max(0, room - directory.usedBytes)
    guard growth > free else { return }
    counters.fullFailures += 1
    partly(free)
    throw failure(SQLITE_FULL, ENOSPC)
  }

  private func beginning(of bytes: [UInt8]) -> [UInt8] {
    Array(bytes.prefix(generator.number(below: bytes.count + 1)))
  }

  private func failure(_ resultCode: Int32, _ number: Int32) -> DiskFailure {
    DiskFailure(resultCode: resultCode, systemError: number)
  }
}
