// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// The effect of a power loss on changes that were not synced.
///
/// The system may write a file's sectors back at any time. So each sector, and the size of the file, is as it was at
/// some point between the last sync and the power loss. A sector is never half old and half new: devices promise
/// that, and SQLite relies on it.
enum PowerLoss {
  static let sectorSize = 512

  static func survivingContent(
    of durable: [UInt8],
    _ changes: [UnsyncedChange],
    using generator: inout SeededGenerator
  ) -> [UInt8] {
    guard !changes.isEmpty else { return durable }
    var content = durable
    switch generator.number(below: 5) {
    case 0: break
    case 1: for change in changes { change.apply(to: &content) }
    case 2: keepBeginning(of: changes, in: &content, using: &generator)
    default: keepSectors(of: changes, in: &content, using: &generator)
    }
    return content
  }

  /// Keeps everything in order up to one change, which is torn.
  private static func keepBeginning(
    of changes: [UnsyncedChange],
    in content: inout [UInt8],
    using generator: inout SeededGenerator
  ) {
    let torn = generator.number(below: changes.count)
    for change in changes[..<torn] { change.apply(to: &content) }
    keepSectors(of: [changes[torn]], in: &content, using: &generator)
  }

  /// Keeps each sector, and the size, as of its own point in time.
  private static func keepSectors(
    of changes: [UnsyncedChange],
    in content: inout [UInt8],
    using generator: inout SeededGenerator
  ) {
    var size = content.count
    let endOfSize = generator.number(below: changes.count + 1)
    var ends: [Int: Int] = [:]
    for (index, change) in changes.enumerated() {
      let touched: Range<Int>
      switch change {
      case .write(let bytes, let offset):
        touched = offset..<offset + bytes.count
        if index < endOfSize { size = max(size, touched.upperBound) }
        content.grow(to: touched.upperBound)
      case .resize(let newSize):
        if index < endOfSize { size = newSize }
        touched = newSize..<max(newSize, content.count)
      }
      for part in sectors(of: touched) {
        let sector = part.lowerBound / sectorSize
        let end = ends[sector] ?? generator.number(below: changes.count + 1)
        ends[sector] = end
        if index < end { change.apply(to: &content, in: part) }
      }
    }
    content.resize(to: size)
  }

  /// Splits a range into parts that each lie in a single sector.
  private static func sectors(of range: Range<Int>) -> [Range<Int>] {
    guard !range.isEmpty else { return [] }
    return (range.lowerBound / sectorSize...(range.upperBound - 1) / sectorSize).map {
      ($0 * sectorSize..<($0 + 1) * sectorSize).clamped(to: range)
    }
  }
}

extension UnsyncedChange {
  /// Applies a part of the change. Bytes removed by a truncation become zeros.
  fileprivate func apply(to content: inout [UInt8], in part: Range<Int>) {
    content.withUnsafeMutableBytes { target in
      switch self {
      case .write(let bytes, let offset):
        target[part].copyBytes(from: bytes[part.lowerBound - offset..<part.upperBound - offset])
      case .resize: for index in part { target[index] = 0 }
      }
    }
  }
}
