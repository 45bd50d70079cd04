// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncServerSupport

/// The rules for names that clients may declare. Other names would be sent to every client, and Realm's SDKs refuse
/// them (protocol §11).
enum SchemaNames {
  private static let classByteCount = 57
  private static let propertyByteCount = 63

  /// - Throws: `SessionFailure` with error 225.
  static func checkClass(_ name: String) throws {
    try check(name, maximumByteCount: classByteCount, "the name of class \(quoted(name))")
  }

  /// - Throws: `SessionFailure` with error 225.
  static func checkProperty(_ name: String, of className: String) throws {
    let words = "the name of property \(quoted(name)) of class \(quoted(className))"
    try check(name, maximumByteCount: propertyByteCount, words)
    // Documents cannot have fields with such names.
    guard !name.hasPrefix("$"), !name.utf8.contains(UInt8(ascii: ".")) else {
      throw SessionFailure.invalidSchemaChange("\(words) begins with \"$\" or contains \".\"")
    }
  }

  /// Checks that two names that Swift calls equal have the same bytes. Clients compare bytes.
  ///
  /// - Parameters:
  ///   - kind: what the names name, such as "class".
  ///   - prefix: what to write before each of the names.
  /// - Throws: `SessionFailure` with error 225.
  static func checkSpelling(_ name: String, _ existing: String, kind: String, prefix: String = "") throws {
    guard !UTF8Order.areEqual(name, existing) else { return }
    let names = UnicodeTwins(prefix + name, prefix + existing)
    throw SessionFailure.invalidSchemaChange(names.problem(kind))
  }

  private static func check(_ name: String, maximumByteCount: Int, _ words: String) throws {
    let count = name.utf8.count
    guard (1...maximumByteCount).contains(count) else {
      throw SessionFailure.invalidSchemaChange(
        "\(words) has \(count) bytes; 1 to \(maximumByteCount) are allowed"
      )
    }
    guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw SessionFailure.invalidSchemaChange("\(words) has control characters")
    }
  }

  /// Returns a name for use in a message: short, and without characters that a terminal would interpret.
  private static func quoted(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(80).map { scalar in
      scalar.properties.generalCategory == .control
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return "\"\(scalars.joined())\""
  }
}
