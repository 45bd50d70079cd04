// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Reads a changeset instruction by instruction, without an `Instruction` for the most frequent ones: a property of a
/// top-level object is set to a plain value. The bytes must outlive the reader.
public struct ChangesetReader {
  public enum Step {
    /// A property of `subject` is set to a value other than a link or a collection.
    ///
    /// - `property`: the number of the property's name, for `name(_:)`.
    /// - `cell`: the value, which borrows text and bytes.
    case update(property: Int, cell: Cell)
    case instruction(Instruction)
  }

  private var decoder: ChangesetDecoder
  /// The top-level object that the last `update` concerns.
  public private(set) var subject = ObjectReference(table: "", key: .null)
  /// Increases whenever another object becomes the subject.
  public private(set) var subjectNumber = 0
  /// Where the subject was named.
  private var subjectRange = 0..<0
  /// Where the last instruction began, after its code.
  private var start = 0

  public init(_ bytes: UnsafeRawBufferPointer) {
    decoder = ChangesetDecoder(bytes, maximumCount: .max)
  }

  /// The number of names that have been defined so far.
  public var nameCount: Int { decoder.strings.count }

  /// Returns the name of a property.
  public func name(_ number: Int) -> String { decoder.strings[number] }

  /// Reads the next instruction; returns nil at the end.
  ///
  /// - Throws: `ChangesetError` for bytes that are not a changeset.
  @inline(__always)
  public mutating func next() throws(ChangesetError) -> Step? {
    guard let code = try decoder.readCode() else { return nil }
    start = decoder.reader.position
    if code == .update {
      if let (property, cell) = try readPlainUpdate() { return .update(property: property, cell: cell) }
      decoder.reader.goBack(to: start)
    }
    return .instruction(try decoder.readInstruction(code))
  }

  /// Reads the last update again, as an instruction.
  ///
  /// - Throws: `ChangesetError`.
  public mutating func lastUpdate() throws(ChangesetError) -> Instruction {
    decoder.reader.goBack(to: start)
    return try decoder.readInstruction(.update)
  }

  /// Returns nil for a place inside a property, and for a value that no cell holds.
  private mutating func readPlainUpdate() throws(ChangesetError) -> (property: Int, cell: Cell)? {
    if !decoder.reader.skipRepetition(of: subjectRange) {
      subject = try decoder.readObject()
      subjectRange = start..<decoder.reader.position
      subjectNumber += 1
    }
    let property = try decoder.readNameNumber()
    guard try decoder.reader.readUnsigned32() == 0, let cell = try decoder.readCell() else { return nil }
    _ = try decoder.reader.readFlag()
    return (property, cell)
  }
}

extension ChangesetDecoder {
  /// Reads a value without copying text and bytes; returns nil for one that no cell holds.
  @inline(__always)
  fileprivate mutating func readCell() throws(ChangesetError) -> Cell? {
    guard let type = ValueType(rawValue: try reader.readByte()) else { return nil }
    switch type {
    case .int: return Cell(.int, UInt64(bitPattern: try reader.readInteger()))
    case .bool: return Cell(.bool, try reader.readFlag() ? 1 : 0)
    case .string: return Cell(.string, try reader.readCountedBytes())
    case .binary: return Cell(.binary, try reader.readCountedBytes())
    case .link: return nil
    case .mixed, .timestamp, .float, .double, .decimal, .objectId, .uuid:
      return try readValue(type).cellWithoutBytes
    }
  }
}
