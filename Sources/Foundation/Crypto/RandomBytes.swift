// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Random bytes that are fit for keys, salts and tokens.
public enum RandomBytes {
  /// `count` bytes of OpenSSL's generator, which the operating system seeds.
  ///
  /// Safe from any thread. The process ends if the system has no randomness to give: nothing that asks for
  /// these bytes could go on safely without them.
  /// - Parameter count: number of bytes, not negative.
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
