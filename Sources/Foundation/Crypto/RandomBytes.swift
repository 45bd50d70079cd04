// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Random bytes suitable for keys, salts and tokens.
public enum RandomBytes {
  /// Returns `count` bytes from OpenSSL's generator, which is seeded by the operating system.
  ///
  /// Safe from any thread. Terminates the process if the system cannot provide randomness, because no caller could
  /// safely continue without it.
  /// - Parameter count: The number of bytes, not negative.
  public static func generate(count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= Int(Int32.max), "RandomBytes: count \(count) is out of range")
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard RAND_bytes(buffer.baseAddress, Int32(count)) == 1 || count == 0 else {
        fatalError("RandomBytes: the system's random generator failed; FlexSync cannot run without it")
      }
      initialized = count
    }
  }
}
