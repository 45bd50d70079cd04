// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The memory that the connections to a file share for the index of its write-ahead log, with its eight locks.
final class SharedMemory {
  private(set) var regions: [UnsafeMutableRawBufferPointer] = []
  private var readerCounts = [Int](repeating: 0, count: Int(SQLITE_SHM_NLOCK))
  private var writers = [Bool](repeating: false, count: Int(SQLITE_SHM_NLOCK))

  deinit {
    for region in regions { region.deallocate() }
  }

  var byteCount: Int { regions.reduce(0) { $0 + $1.count } }

  func addRegion(ofSize size: Int) {
    let region = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    region.initializeMemory(as: UInt8.self, repeating: 0)
    regions.append(region)
  }

  /// The locks that one connection holds, one bit each.
  struct Holdings {
    fileprivate var read: UInt8 = 0
    fileprivate var written: UInt8 = 0
  }

  /// Acquires locks for a connection. Returns false if another connection is in the way.
  func lock(_ slots: Range<Int>, isExclusive: Bool, _ holdings: inout Holdings) -> Bool {
    for slot in slots {
      let hasOtherWriter = writers[slot] && holdings.written & 1 << slot == 0
      let otherReaders = readerCounts[slot] - (holdings.read & 1 << slot == 0 ? 0 : 1)
      guard !hasOtherWriter, !isExclusive || otherReaders == 0 else { return false }
    }
    for slot in slots {
      if isExclusive {
        writers[slot] = true
        holdings.written |= 1 << slot
      } else if holdings.read & 1 << slot == 0 {
        readerCounts[slot] += 1
        holdings.read |= 1 << slot
      }
    }
    return true
  }

  func unlock(_ slots: Range<Int>, _ holdings: inout Holdings) {
    for slot in slots {
      if holdings.written & 1 << slot != 0 { writers[slot] = false }
      if holdings.read & 1 << slot != 0 { readerCounts[slot] -= 1 }
      holdings.written &= ~(1 << slot)
      holdings.read &= ~(1 << slot)
    }
  }

  func unlockAll(_ holdings: inout Holdings) { unlock(0..<readerCounts.count, &holdings) }
}
