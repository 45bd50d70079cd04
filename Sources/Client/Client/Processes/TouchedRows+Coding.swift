// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The bytes in which a process tells others what its commit has changed (Docs/Storage.md).
///
/// For each class, its name, and the changed rows as runs: consecutive rows that were changed in the same way.
extension TouchedRows {
  private enum Kind: UInt64 {
    case inserted = 1
    case modified = 2
    case erased = 3
  }

  /// The bytes; none if the changes are unknown.
  var encoded: [UInt8] {
    guard !isUnknown else { return [] }
    var writer = NumberWriter()
    writer.append(UInt64(classes.count))
    for (name, rows) in classes {
      writer.append(UInt64(name.utf8.count))
      writer.bytes += Array(name.utf8)
      let runs = Self.runs(of: rows.changes)
      writer.append(UInt64(runs.count))
      var end: Int64 = 0
      for run in runs {
        writer.append(UInt64(bitPattern: run.first - end))
        writer.append(UInt64(run.count))
        writer.append(Self.kind(of: run.change).rawValue)
        if case .modified(let columns) = run.change { writer.append(columns.bits) }
        end = run.first + run.count
      }
    }
    return writer.bytes
  }

  /// - Parameter encoded: bytes made by `encoded`; others stand for unknown changes.
  init(encoded: [UInt8]) { self = Self.decode(encoded) ?? .unknown }

  private static func decode(_ bytes: [UInt8]) -> TouchedRows? {
    var reader = NumberReader(bytes)
    guard let classCount = reader.next() else { return nil }
    var classes: [String: [Int64: RowChange]] = [:]
    for _ in 0..<classCount {
      guard let name = reader.text(), let changes = decodeRows(&reader) else { return nil }
      classes[name] = changes
    }
    return TouchedRows(classes)
  }

  private static func decodeRows(_ reader: inout NumberReader) -> [Int64: RowChange]? {
    guard let runCount = reader.next() else { return nil }
    var changes: [Int64: RowChange] = [:]
    var row: Int64 = 0
    for _ in 0..<runCount {
      guard let gap = reader.next(), let count = reader.next(), let change = decodeChange(&reader),
        count <= UInt64(ChangeLog.rowLimit - changes.count)
      else { return nil }
      row &+= Int64(bitPattern: gap)
      for _ in 0..<count {
        changes[row] = change
        row &+= 1
      }
    }
    return changes
  }

  private static func decodeChange(_ reader: inout NumberReader) -> RowChange? {
    switch reader.next().flatMap(Kind.init) {
    case .inserted: .inserted
    case .erased: .erased
    case .modified: reader.next().map { .modified(ColumnSet(bits: $0)) }
    case nil: nil
    }
  }

  private static func kind(of change: RowChange) -> Kind {
    switch change {
    case .inserted: .inserted
    case .modified: .modified
    case .erased: .erased
    }
  }

  private static func runs(of changes: [Int64: RowChange]) -> [(
    first: Int64, count: Int64, change: RowChange
  )] {
    var runs: [(first: Int64, count: Int64, change: RowChange)] = []
    for (row, change) in changes.sorted(by: { $0.key < $1.key }) {
      if let last = runs.last, last.first + last.count == row, last.change == change {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((row, 1, change))
      }
    }
    return runs
  }
}

/// Writes numbers in seven bits a byte, least significant first.
private struct NumberWriter {
  var bytes: [UInt8] = []

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Reads what `NumberWriter` has written.
private struct NumberReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func next() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  mutating func text() -> String? {
    guard let count = next(), count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
  }
}
