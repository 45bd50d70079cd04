// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Writes a changeset: instructions, each preceded by definitions of the strings that it is the first to use (protocol
/// §6.2, §6.5).
///
/// Access to the buffers is not checked for exclusivity: they are written for every property that an app sets, and
/// nothing that runs meanwhile can reach them.
public final class ChangesetWriter {
  @exclusivity(unchecked) private var output = ByteBuffer()
  @exclusivity(unchecked) private var indexes: [InternedString: UInt64] = [:]
  /// The interned strings by their index.
  @exclusivity(unchecked) private var texts: [String] = []
  /// The index of the string that is likely to be named next: most instructions name the next property of an object.
  @exclusivity(unchecked) private var likelyIndex = 0
  /// The class of the last instruction. The next instruction usually has the same class.
  @exclusivity(unchecked) private var lastTable: (text: String, index: UInt64)?
  /// The instruction being written. It is kept apart from `output` because definitions must precede it.
  @exclusivity(unchecked) private var body = ByteBuffer()
  /// The class and key of the object that `begin` named.
  @exclusivity(unchecked) private var subject = ByteBuffer(capacity: 32)

  public init() {}

  /// Whether nothing has been written.
  public var isEmpty: Bool { output.count == 0 }

  /// The changeset so far, lent until it is written to again.
  public var bytes: UnsafeBufferPointer<UInt8> { output.bytes }

  /// Starts another changeset.
  public func removeAll() {
    output.removeAll()
    indexes.removeAll(keepingCapacity: indexes.count < 1024)
    texts.removeAll(keepingCapacity: texts.count < 1024)
    likelyIndex = 0
    lastTable = nil
  }

  func define(_ strings: [String]) {
    for text in strings { _ = index(of: text) }
  }

  /// Writes an instruction.
  public func append(_ instruction: Instruction) {
    body.removeAll()
    switch instruction {
    case .addTable(let name, let kind, let key): writeAddTable(name, kind, key)
    case .eraseTable(let name): write(.eraseTable, table: name)
    case .createObject(let object): write(.createObject, object)
    case .eraseObject(let object): write(.eraseObject, object)
    case .update(let path, let payload, let detail):
      write(.update, path)
      write(payload)
      write(detail)
    case .addInteger(let path, let delta):
      write(.addInteger, path)
      body.appendInteger(delta)
    case .addColumn(let table, let property, let keyType): writeAddColumn(table, property, keyType)
    case .eraseColumn(let table, let name):
      write(.eraseColumn, table: table)
      write(name: name)
    case .arrayInsert(let path, let payload, let priorSize):
      write(.arrayInsert, path)
      write(payload)
      body.appendMagnitude(UInt64(priorSize))
    case .arrayMove(let path, let to, let priorSize):
      write(.arrayMove, path)
      body.appendMagnitude(UInt64(to))
      body.appendMagnitude(UInt64(priorSize))
    case .arrayErase(let path, let priorSize):
      write(.arrayErase, path)
      body.appendMagnitude(UInt64(priorSize))
    case .clear(let path, let kind):
      write(.clear, path)
      body.append(kind.rawValue)
    case .setInsert(let path, let payload):
      write(.setInsert, path)
      write(payload)
    case .setErase(let path, let payload):
      write(.setErase, path)
      write(payload)
    }
    output.append(contentsOf: UnsafeRawBufferPointer(body.bytes))
  }
}

// MARK: - Schema

extension ChangesetWriter {
  private func writeAddTable(_ name: String, _ kind: ClassKind, _ key: PropertySchema?) {
    write(.addTable, table: name)
    body.append(kind.rawValue)
    if kind == .embedded { return }
    write(name: key?.name ?? "")
    body.append(key?.type.rawValue ?? MarkerCode.globalKey)
    body.append(key?.isNullable == true ? 1 : 0)
  }

  private func writeAddColumn(_ table: String, _ property: PropertySchema, _ keyType: ValueType?) {
    write(.addColumn, table: table)
    write(name: property.name)
    body.append(property.type.rawValue)
    body.append(property.isNullable ? 1 : 0)
    body.append(property.collection.rawValue)
    if property.type == .link { write(name: property.linkTarget ?? "") }
    if property.collection == .dictionary { body.append((keyType ?? .string).rawValue) }
  }
}

// MARK: - Plain values of top-level objects

/// A short way for the most frequent instructions, which needs no `Instruction` and encodes an object's name only once.
/// It writes the same bytes.
extension ChangesetWriter {
  /// Names the top-level object that the following calls of `appendCreation`, `appendErasure` and `appendUpdate` are
  /// about.
  public func begin(table: String, key: PrimaryKey) {
    body.removeAll()
    write(table: table)
    write(key)
    subject.removeAll()
    subject.append(contentsOf: UnsafeRawBufferPointer(body.bytes))
  }

  /// Returns the number by which instructions refer to a name.
  public func number(of name: String) -> UInt64 { index(of: name) }

  /// Writes that the object is created.
  public func appendCreation() { append(.createObject) }

  /// Writes that the object is erased.
  public func appendErasure() { append(.eraseObject) }

  private func append(_ code: InstructionCode) {
    output.append(code.rawValue)
    output.append(contentsOf: UnsafeRawBufferPointer(subject.bytes))
  }

  /// Writes that a property of the object is set.
  ///
  /// - Parameters:
  ///   - property: The number of the property's name.
  ///   - cell: A value other than a link or a collection.
  public func appendUpdate(_ property: UInt64, _ cell: Cell) {
    output.append(InstructionCode.update.rawValue)
    output.append(contentsOf: UnsafeRawBufferPointer(subject.bytes))
    output.appendMagnitude(property)
    // No steps follow the property, and the value is no default.
    output.append(0)
    output.append(cell)
    output.append(0)
  }
}

// MARK: - Names, keys and paths

extension ChangesetWriter {
  private func index(of text: String) -> UInt64 {
    if likelyIndex < texts.count, UTF8Order.areEqual(texts[likelyIndex], text) {
      defer { likelyIndex += 1 }
      return UInt64(likelyIndex)
    }
    let key = InternedString(text)
    if let index = indexes[key] {
      likelyIndex = Int(index) + 1
      return index
    }
    let index = UInt64(indexes.count)
    indexes[key] = index
    texts.append(text)
    likelyIndex = texts.count
    output.append(InstructionCode.internString.rawValue)
    output.appendMagnitude(index)
    output.appendCounted(text)
    return index
  }

  private func write(name: String) {
    body.appendMagnitude(index(of: name))
  }

  private func write(_ code: InstructionCode, table: String) {
    body.append(code.rawValue)
    write(table: table)
  }

  private func write(table: String) {
    if let lastTable, UTF8Order.areEqual(lastTable.text, table) {
      body.appendMagnitude(lastTable.index)
    } else {
      let index = index(of: table)
      lastTable = (table, index)
      body.appendMagnitude(index)
    }
  }

  private func write(_ code: InstructionCode, _ object: ObjectReference) {
    write(code, table: object.table)
    write(object.key)
  }

  private func write(_ code: InstructionCode, _ path: PropertyPath) {
    write(code, path.object)
    write(name: path.field)
    body.appendMagnitude(UInt64(path.path.count))
    for element in path.path {
      switch element {
      case .index(let index): body.appendMagnitude(UInt64(index))
      case .name(let name):
        body.appendInteger(-1)
        write(name: name)
      }
    }
  }

  private func write(_ key: PrimaryKey) {
    switch key {
    case .null: body.append(ValueType.mixed.rawValue)
    case .int(let value):
      body.append(ValueType.int.rawValue)
      body.appendInteger(value)
    case .string(let value):
      body.append(ValueType.string.rawValue)
      write(name: value)
    case .objectId(let value): body.append(.objectId, value)
    case .uuid(let value): body.append(.uuid, value)
    case .globalKey(let high, let low):
      body.append(MarkerCode.globalKey)
      body.appendMagnitude(high)
      body.appendMagnitude(low)
    }
  }
}

// MARK: - Values

extension ChangesetWriter {
  private func write(_ detail: UpdateDetail) {
    switch detail {
    case .isDefault(let isDefault): body.append(isDefault ? 1 : 0)
    case .priorSize(let size): body.appendMagnitude(UInt64(size))
    }
  }

  private func write(_ payload: Payload) {
    switch payload {
    case .value(.link(let link)):
      body.append(ValueType.link.rawValue)
      write(name: link.className)
      write(link.key)
    case .value(let value):
      value.withCell { cell in
        guard let cell else {
          preconditionFailure(
            "A nested collection is encoded as the instructions that build it, never as one value"
          )
        }
        body.append(cell)
      }
    case .object: body.append(MarkerCode.object)
    case .dictionary: body.append(MarkerCode.dictionary)
    case .list: body.append(MarkerCode.list)
    case .set: body.append(MarkerCode.set)
    case .erased: body.append(MarkerCode.erased)
    // No parser reads a global key here; peers treat it as null.
    case .globalKey: body.append(ValueType.mixed.rawValue)
    }
  }
}
