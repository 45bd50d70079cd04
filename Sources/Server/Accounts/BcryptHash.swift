// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCrypt
import FlexSyncCrypto
#endif

/// Hashes of passwords that another system has made by bcrypt: `$2b$12$` with 53 characters. The C library of Linux checks
/// them; other systems' do not know them.
enum BcryptHash {
  /// How long a check may take grows with two to the power of this: about a second.
  private static let costs = 4...14
  private static let digits = Set("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Whether a text looks like one, usable or not.
  static func isMeant(by text: String) -> Bool { text.hasPrefix("$2") }

  /// Why passwords cannot be checked with a hash; nil if they can.
  static func problem(_ text: String) -> String? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]), let cost = Int(parts[2]),
      parts[2].utf8.count == 2, parts[3].utf8.count == 53, parts[3].utf8.allSatisfy(digits.contains)
    else { return "it is no hash of bcrypt such as $2b$12$ and 53 characters" }
    guard costs.contains(cost) else {
      return "its cost of \(cost) is not from \(costs.lowerBound) to \(costs.upperBound)"
    }
    #if os(Linux)
    return crypt_checksalt(text) == CRYPT_SALT_OK ? nil : "this system's C library cannot check bcrypt"
    #else
    return "only Linux can check bcrypt"
    #endif
  }

  /// Whether a hash was made from a password. Takes as long as the cost in it says.
  static func verify(password: String, hash: String) -> Bool {
    #if os(Linux)
    // The library reads up to the first NUL.
    guard problem(hash) == nil, !password.utf8.contains(0) else { return false }
    let size = max(MemoryLayout<crypt_data>.size, 32_768)
    let data = UnsafeMutableRawPointer.allocate(
      byteCount: size,
      alignment: MemoryLayout<crypt_data>.alignment
    )
    data.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    defer { data.deallocate() }
    guard let result = crypt_rn(password, hash, data, Int32(size)) else { return false }
    return ConstantTime.equal(Array(String(cString: result).utf8), Array(hash.utf8))
    #else
    return false
    #endif
  }
}
