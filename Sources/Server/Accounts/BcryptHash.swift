// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCrypt
import FlexSyncCrypto
#endif

/// Password hashes that another system made with bcrypt: `$2b$12$` followed by 53 characters. Verified by the C
/// library on Linux; those of other systems do not support bcrypt.
enum BcryptHash {
  /// The accepted costs. The time of a check is proportional to two to the power of the cost; the highest takes
  /// about a second.
  private static let costs = 4...14
  private static let digits = Set("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Whether a text looks like a bcrypt hash, usable or not.
  static func isMeant(by text: String) -> Bool { text.hasPrefix("$2") }

  /// The reason passwords cannot be checked against a hash; nil if they can.
  static func problem(_ text: String) -> String? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]), let cost = Int(parts[2]),
      parts[2].utf8.count == 2, parts[3].utf8.count == 53, parts[3].utf8.allSatisfy(digits.contains)
    else { return "it is not a bcrypt hash, such as $2b$12$ followed by 53 characters" }
    guard costs.contains(cost) else {
      return "its cost of \(cost) is not between \(costs.lowerBound) and \(costs.upperBound)"
    }
    #if os(Linux)
    return crypt_checksalt(text) == CRYPT_SALT_OK ? nil : "this system's C library cannot check bcrypt hashes"
    #else
    return "the server can check bcrypt hashes only on Linux"
    #endif
  }

  /// Whether a hash was made from a password. The duration depends on the cost in the hash.
  static func verify(password: String, hash: String) -> Bool {
    #if os(Linux)
    // The library stops reading at the first NUL.
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
