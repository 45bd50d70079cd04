// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Structs that begin with `size_t struct_size`, so they can grow.
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
        "\(name).struct_size is \(size); set it to sizeof(\(name))."
      )
    }
    var copy = zeroed
    withUnsafeMutableBytes(of: &copy) { bytes in
      let size = min(size, UInt(bytes.count))
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(size)))
    }
    return copy
  }

  /// Copies the elements of an array, named `what` in messages, in the same way. They follow each other at the distance
  /// that `struct_size` says, because a program that was compiled against another version has elements of another size.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT if they differ in `struct_size`, or for one that is too small.
  static func copies<Struct>(
    _ pointer: UnsafePointer<Struct>?,
    count: Int,
    zeroed: Struct,
    smallest: Int,
    name: String,
    what: String
  ) throws -> [Struct] {
    guard let first = try CArray.view(pointer, count: count, what).baseAddress, count > 0 else { return [] }
    let size = UnsafeRawPointer(first).load(as: UInt.self)
    let stride = Int(clamping: size)
    guard stride <= Int.max / count, stride % MemoryLayout<Struct>.alignment == 0 else {
      throw CoreError.invalidArgument("\(name).struct_size is \(size); set it to sizeof(\(name)).")
    }
    return try (0..<count).map { index in
      let address = (UnsafeRawPointer(first) + index * stride).assumingMemoryBound(to: Struct.self)
      let element = try copy(address, zeroed: zeroed, smallest: smallest, name: name)
      guard UnsafeRawPointer(address).load(as: UInt.self) == size else {
        throw CoreError.invalidArgument("\(name).struct_size differs between the elements of an array.")
      }
      return element
    }
  }
}
