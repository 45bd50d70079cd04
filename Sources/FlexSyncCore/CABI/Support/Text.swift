// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension flx_string_t {
  /// A view of bytes that somebody else keeps.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), size: bytes.count)
  }

  /// The bytes, without a copy.
  ///
  /// - Throws: `INVALID_ARGUMENT` if there is a size without data; `what` names the argument.
  func bytes(_ what: String) throws -> UnsafeRawBufferPointer {
    guard let data else {
      guard size == 0 else {
        throw CoreError.invalidArgument("\(what) has a size of \(size) bytes, but its data is NULL.")
      }
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    guard size <= Int.max / 2 else {
      throw CoreError.invalidArgument("\(what) has an impossible size.")
    }
    return UnsafeRawBufferPointer(start: data, count: size)
  }

  /// A copy as a string.
  ///
  /// - Throws: `INVALID_ARGUMENT` if the bytes are not UTF-8; `what` names the argument.
  func text(_ what: String) throws -> String {
    let bytes = try bytes(what)
    guard let text = String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self) else {
      throw CoreError.invalidArgument("\(what) is not valid UTF-8.")
    }
    return text
  }
}

/// Text that outlives the C call that lends it out: UTF-8 at a fixed address, freed with its owner.
final class StableText {
  private let memory: UnsafeMutableRawBufferPointer

  init(_ text: String) {
    var text = text
    memory = text.withUTF8 { bytes in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      copy.copyBytes(from: bytes)
      return copy
    }
  }

  deinit { memory.deallocate() }

  /// The text, borrowed from this owner.
  var borrowed: flx_string_t { flx_string_t(UnsafeRawBufferPointer(memory)) }
}
