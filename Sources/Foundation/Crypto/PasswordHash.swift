// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Password hashing with scrypt (RFC 7914). It is deliberately slow and memory-intensive, which makes a stolen table
/// of hashes expensive to search.
///
/// A hash is one line in the PHC string format, `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, with salt and hash in standard
/// Base64 without padding. It contains its own parameters, so old hashes remain valid when the cost of new ones is
/// raised. Hashing takes about a tenth of a second and 32 MiB, so do not run it on an event loop.
public enum PasswordHash {
  /// Hashes a password with a new random salt. Safe from any thread.
  /// - Throws: ``PasswordHashError`` if there is not enough memory.
  public static func hash(password: String) throws(PasswordHashError) -> String {
    try hash(password: password, parameters: .standard, salt: RandomBytes.generate(count: 16))
  }

  /// Whether `hash` was created from `password`. Safe from any thread.
  /// - Throws: ``PasswordHashError`` if `hash` is not a line written by ``hash(password:)``, requires more work than
  ///   this module permits, or if there is not enough memory.
  public static func verify(password: String, hash: String) throws(PasswordHashError) -> Bool {
    let stored = try StoredPasswordHash(parsing: hash)
    let computed = try derive(
      password: password,
      salt: stored.salt,
      parameters: stored.parameters,
      count: stored.hash.count
    )
    return ConstantTime.equal(computed, stored.hash)
  }

  /// Checks that passwords can be verified against a hash line, without verifying one.
  /// - Throws: ``PasswordHashError`` for the same lines as ``verify(password:hash:)``.
  public static func check(hash: String) throws(PasswordHashError) {
    _ = try StoredPasswordHash(parsing: hash)
  }

  static func hash(
    password: String,
    parameters: ScryptParameters,
    salt: [UInt8]
  ) throws(PasswordHashError) -> String {
    let hash = try derive(password: password, salt: salt, parameters: parameters, count: 32)
    return StoredPasswordHash(parameters: parameters, salt: salt, hash: hash).text
  }

  private static func derive(
    password: String,
    salt: [UInt8],
    parameters: ScryptParameters,
    count: Int
  ) throws(PasswordHashError) -> [UInt8] {
    let bytes = Array(password.utf8)
    var key = [UInt8](repeating: 0, count: count)
    // A null password pointer makes OpenSSL check the parameters only; an empty password is still a password.
    let status = (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { password in
      EVP_PBE_scrypt(
        password.baseAddress?.assumingMemoryBound(to: CChar.self),
        bytes.count,
        salt,
        salt.count,
        1 << parameters.logarithmicCost,
        parameters.blockSize,
        parameters.parallelism,
        parameters.memoryLimit,
        &key,
        count
      )
    }
    guard status == 1 else {
      throw PasswordHashError("scrypt failed: probably not enough memory for \(parameters.memoryLimit) bytes")
    }
    return key
  }
}

/// The reason a password could not be hashed or verified.
public struct PasswordHashError: Error, Equatable, CustomStringConvertible {
  /// A description for people. It never contains a password, a salt or a hash.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The cost of one scrypt run.
struct ScryptParameters: Equatable {
  /// `ln`: the base-two logarithm of the number of iterations.
  var logarithmicCost: UInt64
  /// `r`: the block size in units of 128 bytes.
  var blockSize: UInt64
  /// `p`: the number of independent runs.
  var parallelism: UInt64

  /// 32 MiB and about 0.1 s, one of the combinations recommended by OWASP.
  static let standard = ScryptParameters(logarithmicCost: 15, blockSize: 8, parallelism: 1)

  /// The memory limit in bytes, which suffices for these parameters plus OpenSSL's own overhead.
  var memoryLimit: UInt64 { 128 * blockSize * ((1 << logarithmicCost) + parallelism + 2) + 1_048_576 }

  /// Whether the cost is acceptable. A stored hash is data and must not be able to demand an hour or all memory.
  var isAcceptable: Bool {
    (1...18).contains(logarithmicCost) && (1...16).contains(blockSize) && (1...4).contains(parallelism)
  }
}

/// The parts of a hash line.
struct StoredPasswordHash: Equatable {
  private static let codec = Base64Codec(character62: "+", character63: "/", padded: false)

  var parameters: ScryptParameters
  var salt: [UInt8]
  var hash: [UInt8]

  var text: String {
    let cost = "ln=\(parameters.logarithmicCost),r=\(parameters.blockSize),p=\(parameters.parallelism)"
    return "$scrypt$\(cost)$\(Self.codec.encode(salt))$\(Self.codec.encode(hash))"
  }
}

extension StoredPasswordHash {
  init(parsing text: String) throws(PasswordHashError) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else {
      throw PasswordHashError("this is not a password hash of the form $scrypt$ln=…,r=…,p=…$salt$hash")
    }
    guard let parameters = Self.parameters(parts[2]), parameters.isAcceptable else {
      throw PasswordHashError("the scrypt parameters \"\(parts[2])\" are malformed or too expensive")
    }
    guard let salt = Self.codec.decode(String(parts[3])), (8...64).contains(salt.count),
      let hash = Self.codec.decode(String(parts[4])), (16...64).contains(hash.count)
    else {
      throw PasswordHashError("the salt or the digest of a password hash is malformed")
    }
    self.init(parameters: parameters, salt: salt, hash: hash)
  }

  private static func parameters(_ text: Substring) -> ScryptParameters? {
    let values = zip(["ln=", "r=", "p="], text.split(separator: ",", omittingEmptySubsequences: false))
      .compactMap { name, part in part.hasPrefix(name) ? UInt64(part.dropFirst(name.count)) : nil }
    guard values.count == 3, text.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 2 else { return nil }
    return ScryptParameters(logarithmicCost: values[0], blockSize: values[1], parallelism: values[2])
  }
}
