// SPDX-License-Identifier: Apache-2.0

/// The room for later members at the end of structs that programs pass in arrays.
enum Reserved {
  /// - Parameters:
  ///   - room: the member `reserved`.
  ///   - name: the name of the struct.
  /// - Throws: `CoreError` INVALID_ARGUMENT if the program has set a member that this version does not know, or nothing.
  static func requireZero<Room>(_ room: Room, of name: String) throws {
    guard withUnsafeBytes(of: room, { $0.allSatisfy { $0 == 0 } }) else {
      throw CoreError.invalidArgument(
        "\(name).reserved is not zero. Zero the entire struct before its members are set; or the program was compiled "
          + "for a newer version of the library."
      )
    }
  }
}
