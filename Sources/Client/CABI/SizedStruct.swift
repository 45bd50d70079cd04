// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Configuration structs that begin with `size_t struct_size`, so they can grow.
enum SizedStruct {
  /// Copies the members that the caller's version of the struct has; the rest stays as in `zeroed`.
  ///
  /// - Parameter smallest: the size of the smallest valid struct.
  /// - Throws: `CoreError` INVALID_ARGUMENT if `struct_size` is smaller, as when it was not set.
  static func copy<Struct>(
    _ pointer: UnsafePointer<Struct>,
    zeroed: Struct,
    smallest: Int,
    name: String
  ) throws -> Struct {
    let size = UnsafeRawPointer(pointer).load(as: UInt.self)
    guard size >= smallest else {
      throw CoreError(
        .invalidArgument,
        "\(name).struct_size is \(size); set it to sizeof(\(name))"
      )
    }
    var copy = zeroed
    withUnsafeMutableBytes(of: &copy) { bytes in
      let size = min(size, UInt(bytes.count))
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(size)))
    }
    return copy
  }
}
