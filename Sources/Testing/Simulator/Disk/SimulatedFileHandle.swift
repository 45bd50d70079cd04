// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The state of an open file that SQLite holds: SQLite's own part, followed by ours.
struct SimulatedFileHandle {
  private var base = sqlite3_file()
  fileprivate let open: Unmanaged<OpenFile>

  /// Initialises the memory that SQLite has allocated, and keeps the file open until SQLite closes it.
  static func initialize(_ target: UnsafeMutablePointer<sqlite3_file>?, _ open: OpenFile) {
    guard let target else { return }
    var handle = SimulatedFileHandle(open: Unmanaged.passRetained(open))
    handle.base.pMethods = UnsafePointer(methods)
    UnsafeMutableRawPointer(target).initializeMemory(as: SimulatedFileHandle.self, to: handle)
  }

  nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    // Version 2 supports shared memory but not mapping of the file.
    methods.pointee.iVersion = 2
    addContent(&methods.pointee)
    addLocks(&methods.pointee)
    addSharedMemory(&methods.pointee)
    return methods
  }()

  private static func addContent(_ methods: inout sqlite3_io_methods) {
    methods.xClose = { file in
      let open = openFile(file).takeRetainedValue()
      open.disk.locked { open.disk.close(open) }
      file?.pointee.pMethods = nil
      return SQLITE_OK
    }
    methods.xRead = { file, target, count, offset in
      let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
      return perform(file) { (disk, open) throws(DiskFailure) in
        let found = try disk.read(open, into: target, at: Int(offset))
        guard found < target.count else { return }
        target[found...].initializeMemory(as: UInt8.self, repeating: 0)
        throw DiskFailure(resultCode: SQLITE_IOERR | 2 << 8, systemError: 0)
      }
    }
    methods.xWrite = { file, source, count, offset in
      let bytes = [UInt8](UnsafeRawBufferPointer(start: source, count: Int(count)))
      return perform(file) { (disk, open) throws(DiskFailure) in
        try disk.write(open, bytes, at: Int(offset))
      }
    }
    methods.xTruncate = { file, size in
      perform(file) { (disk, open) throws(DiskFailure) in try disk.truncate(open, to: Int(size)) }
    }
    methods.xSync = { file, _ in
      perform(file) { (disk, open) throws(DiskFailure) in try disk.sync(open) }
    }
    methods.xFileSize = { file, size in
      perform(file) { (disk, open) throws(DiskFailure) in size?.pointee = Int64(try disk.size(open)) }
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
  }

  private static func addLocks(_ methods: inout sqlite3_io_methods) {
    methods.xLock = { file, level in
      perform(file) { (disk, open) throws(DiskFailure) in try disk.lock(open, level) }
    }
    methods.xUnlock = { file, level in perform(file) { _, open in open.lowerLock(to: level) } }
    methods.xCheckReservedLock = { file, answer in
      perform(file) { (disk, open) throws(DiskFailure) in
        answer?.pointee = try disk.isReserved(open) ? 1 : 0
      }
    }
  }

  private static func addSharedMemory(_ methods: inout sqlite3_io_methods) {
    methods.xShmMap = { file, index, size, mayExtend, region in
      perform(file) { (disk, open) throws(DiskFailure) in
        region?.pointee = try disk.sharedRegion(open, Int(index), size: Int(size), mayExtend: mayExtend != 0)
      }
    }
    methods.xShmLock = { file, first, count, flags in
      let slots = Int(first)..<Int(first + count)
      return perform(file) { (disk, open) throws(DiskFailure) in
        guard flags & SQLITE_SHM_UNLOCK == 0 else {
          open.sharedMemory?.unlock(slots, &open.sharedHoldings)
          return
        }
        try disk.lockShared(open, slots, isExclusive: flags & SQLITE_SHM_EXCLUSIVE != 0)
      }
    }
    // The disk's lock acts as the barrier.
    methods.xShmBarrier = { file in _ = perform(file) { _, _ in } }
    methods.xShmUnmap = { file, _ in perform(file) { _, open in open.unmap() } }
  }
}

private func openFile(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<OpenFile> {
  guard let file else { preconditionFailure("SQLite names no file") }
  return UnsafeRawPointer(file).assumingMemoryBound(to: SimulatedFileHandle.self).pointee.open
}

/// Performs an operation on an open file.
private func perform(
  _ file: UnsafeMutablePointer<sqlite3_file>?,
  _ body: (SimulatedDisk, OpenFile) throws(DiskFailure) -> Void
) -> Int32 {
  let open = openFile(file).takeUnretainedValue()
  return result { () throws(DiskFailure) in
    try open.disk.locked { () throws(DiskFailure) in try body(open.disk, open) }
  }
}
