// SPDX-License-Identifier: Apache-2.0

/// A change of a file's bytes that a power loss may undo.
enum UnsyncedChange {
  case write(bytes: [UInt8], offset: Int)
  case resize(Int)

  func apply(to content: inout [UInt8]) {
    switch self {
    case .write(let bytes, let offset):
      guard !bytes.isEmpty else { return }
      content.grow(to: offset + bytes.count)
      content.withUnsafeMutableBytes { target in
        bytes.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + $0.count]).copyMemory(from: $0)
        }
      }
    case .resize(let size): content.resize(to: size)
    }
  }
}

extension [UInt8] {
  mutating func resize(to size: Int) {
    if size < count { removeLast(count - size) } else { grow(to: size) }
  }

  /// Extends the file with zeros if it is shorter than `size`.
  mutating func grow(to size: Int) {
    guard size > count else { return }
    append(contentsOf: [UInt8](repeating: 0, count: size - count))
  }
}
