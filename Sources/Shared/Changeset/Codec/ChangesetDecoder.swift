// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Reads the instructions of one changeset (protocol §6.5).
struct ChangesetDecoder {
  var reader: ByteReader
  private(set) var strings: [String] = []
  private var definedStrings: Set<InternedString> = []
  private let maximumCount: Int

  /// - Parameter maximumCount: The maximum number of instructions.
  init(_ bytes: UnsafeRawBufferPointer, maximumCount: Int) {
    reader = ByteReader(bytes)
    self.maximumCount = maximumCount
  }

  mutating func decode() throws(ChangesetError) -> DecodedChangeset {
    var instructions: [Instruction] = []
    while let code = try readCode() {
      guard instructions.count < maximumCount else {
        var error = reader.errorAtLastByte("more than \(maximumCount) instructions")
        error.hasTooManyInstructions = true
        throw error
      }
      instructions.append(try readInstruction(code))
    }
    return DecodedChangeset(instructions: instructions, internedStrings: strings)
  }

  /// Reads definitions of strings, and the code of the instruction that follows them; nil at the end.
  @inline(__always)
  mutating func readCode() throws(ChangesetError) -> InstructionCode? {
    while !reader.isAtEnd {
      let byte = try reader.readByte()
      guard let code = InstructionCode(rawValue: byte) else {
        throw reader.errorAtLastByte("unknown instruction code \(byte)")
      }
      guard code == .internString else { return code }
      try defineString()
    }
    return nil
  }

  @inline(__always)
  mutating func readInstruction(_ code: InstructionCode) throws(ChangesetError) -> Instruction {
    switch code {
    case .addTable: return try readAddTable()
    case .eraseTable: return .eraseTable(name: try readName())
    case .createObject: return .createObject(try readObject())
    case .eraseObject: return .eraseObject(try readObject())
    case .update: return try readUpdate()
    case .addInteger: return .addInteger(try readPath(), delta: try reader.readInteger())
    case .addColumn: return try readAddColumn()
    case .eraseColumn: return .eraseColumn(table: try readName(), name: try readName())
    case .arrayInsert:
      return .arrayInsert(try readElementPath(), try readPayload(), priorSize: try reader.readUnsigned32())
    case .arrayMove:
      return .arrayMove(
        try readElementPath(),
        to: try reader.readUnsigned32(),
        priorSize: try reader.readUnsigned32()
      )
    case .arrayErase: return .arrayErase(try readElementPath(), priorSize: try reader.readUnsigned32())
    case .clear: return .clear(try readPath(), try readCollectionKind())
    case .setInsert: return .setInsert(try readPath(), try readPayload())
    case .setErase: return .setErase(try readPath(), try readPayload())
    case .internString: throw reader.errorAtLastByte("string definition in place of an instruction")
    }
  }

  private mutating func readUpdate() throws(ChangesetError) -> Instruction {
    let path = try readPath()
    let payload = try readPayload()
    if case .index = path.path.last { return .update(path, payload, .priorSize(try reader.readUnsigned32())) }
    return .update(path, payload, .isDefault(try reader.readFlag()))
  }
}

// MARK: - Schema

extension ChangesetDecoder {
  private mutating func readAddTable() throws(ChangesetError) -> Instruction {
    let name = try readName()
    let code = try reader.readByte()
    guard let kind = ClassKind(rawValue: code) else {
      throw reader.errorAtLastByte("unknown class kind \(code)")
    }
    if kind == .embedded { return .addTable(name: name, kind: kind, primaryKey: nil) }
    return .addTable(name: name, kind: kind, primaryKey: try readPrimaryKeyDeclaration())
  }

  /// Returns nil for a class without a declared key, whose objects have global keys.
  private mutating func readPrimaryKeyDeclaration() throws(ChangesetError) -> PropertySchema? {
    let name = try readName()
    let code = try reader.readByte()
    if code == MarkerCode.globalKey {
      guard name.isEmpty else { throw reader.errorAtLastByte("global keys for a class with a key name") }
      guard try !reader.readFlag() else { throw reader.errorAtLastByte("global keys cannot be null") }
      return nil
    }
    guard let type = ValueType(rawValue: code), type.canBePrimaryKey else {
      throw reader.errorAtLastByte("unknown primary key type \(code)")
    }
    return PropertySchema(name: name, type: type, isNullable: try reader.readFlag())
  }

  private mutating func readAddColumn() throws(ChangesetError) -> Instruction {
    let table = try readName()
    let name = try readName()
    let type = try readValueType()
    let isNullable = try reader.readFlag()
    let collection = try readCollectionKind()
    let target = type == .link ? try readName() : nil
    let keyType = collection == .dictionary ? try readValueType() : nil
    let property = PropertySchema(
      name: name,
      type: type,
      isNullable: isNullable,
      collection: collection,
      linkTarget: target
    )
    return .addColumn(table: table, property, keyType: keyType)
  }

  private mutating func readValueType() throws(ChangesetError) -> ValueType {
    let code = try reader.readByte()
    guard let type = ValueType(rawValue: code) else {
      throw reader.errorAtLastByte("unknown column type \(code)")
    }
    return type
  }

  private mutating func readCollectionKind() throws(ChangesetError) -> CollectionKind {
    let code = try reader.readByte()
    guard let kind = CollectionKind(rawValue: code) else {
      throw reader.errorAtLastByte("unknown collection type \(code)")
    }
    return kind
  }
}

// MARK: - Names, keys and paths

extension ChangesetDecoder {
  private mutating func defineString() throws(ChangesetError) {
    let index = try reader.readUnsigned32()
    guard Int(index) == strings.count else {
      throw reader.errorAtLastByte(
        "string defined with index \(index), but the next index is \(strings.count)"
      )
    }
    let start = reader.position
    let bytes = try reader.readCountedBytes()
    guard let text = String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self) else {
      throw ChangesetError(message: "name that is not UTF-8", position: start)
    }
    guard definedStrings.insert(InternedString(text)).inserted else {
      throw ChangesetError(message: "string \"\(text)\" defined twice", position: start)
    }
    strings.append(text)
  }

  @inline(__always)
  mutating func readName() throws(ChangesetError) -> String { strings[try readNameNumber()] }

  /// Reads the number of a string that has been defined.
  @inline(__always)
  mutating func readNameNumber() throws(ChangesetError) -> Int {
    let number = Int(try reader.readUnsigned32())
    guard number < strings.count else { throw reader.errorAtLastByte("string \(number) is not defined") }
    return number
  }

  mutating func readObject() throws(ChangesetError) -> ObjectReference {
    ObjectReference(table: try readName(), key: try readKey())
  }

  mutating func readKey() throws(ChangesetError) -> PrimaryKey {
    let code = try reader.readByte()
    switch code {
    case ValueType.mixed.rawValue: return .null
    case ValueType.int.rawValue: return .int(try reader.readInteger())
    case ValueType.string.rawValue: return .string(try readName())
    case ValueType.objectId.rawValue: return .objectId(try readObjectId())
    case ValueType.uuid.rawValue: return .uuid(try readUUID())
    case MarkerCode.globalKey:
      return .globalKey(high: try reader.readUnsigned64(), low: try reader.readUnsigned64())
    default: throw reader.errorAtLastByte("unknown primary key type \(code)")
    }
  }

  private mutating func readPath() throws(ChangesetError) -> PropertyPath {
    PropertyPath(object: try readObject(), field: try readName(), path: try readPathElements())
  }

  /// Reads a path that must end in an index.
  private mutating func readElementPath() throws(ChangesetError) -> PropertyPath {
    let path = try readPath()
    guard case .index = path.path.last else {
      throw reader.errorAtLastByte("the path of a list instruction must end in an index")
    }
    return path
  }

  @inline(__always)
  private mutating func readPathElements() throws(ChangesetError) -> [PathElement] {
    let count = Int(try reader.readUnsigned32())
    if count == 0 { return [] }
    guard count <= reader.remainingCount else {
      throw reader.errorAtLastByte(
        "path of \(count) elements, but only \(reader.remainingCount) bytes are left"
      )
    }
    var elements: [PathElement] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try readPathElement()) }
    return elements
  }

  private mutating func readPathElement() throws(ChangesetError) -> PathElement {
    let number = try reader.readInteger()
    if number == -1 { return .name(try readName()) }
    guard let index = UInt32(exactly: number) else {
      throw reader.errorAtLastByte("path element \(number) is not a list index")
    }
    return .index(index)
  }
}
