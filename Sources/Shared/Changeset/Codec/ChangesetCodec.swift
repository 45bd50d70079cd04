// SPDX-License-Identifier: Apache-2.0

/// What a decoded changeset holds.
public struct DecodedChangeset: Hashable, Sendable {
  public var instructions: [Instruction]
  /// The table of interned strings in the order of definition, unused ones included.
  public var internedStrings: [String]

  public init(instructions: [Instruction], internedStrings: [String]) {
    self.instructions = instructions
    self.internedStrings = internedStrings
  }
}

/// The binary form of changesets (protocol §6).
///
/// Decoding takes everything that a deployed client writes, and is stricter than the reference parser where only a
/// faulty or hostile peer would differ:
///
/// - Integers longer than necessary are read, up to 5 bytes for 32-bit and 10 bytes for 64-bit fields: the meaning
///   is clear. Values beyond the field are refused, never cut or wrapped.
/// - Codes (instructions, types, kinds) and flags are exactly one byte with a defined value.
/// - A path element is an index of 32 bits or −1; other negative numbers are refused.
/// - Timestamps must be normalised: both parts of one sign, less than a second of nanoseconds.
/// - Decimals have a coefficient of at most 113 bits and an exponent that the raw format can hold, which lets
///   not-a-number and the infinities through. Bit 6 of the coefficient's last byte is a value bit.
/// - Class names, property names, dictionary keys and string keys must be UTF-8. String *values* that are not become
///   `Value.malformedString`.
/// - Columns and keys must have a type that properties can have. The only key of a class without a declared key is
///   the one that the reference writes: named "", not nullable.
/// - What has a defined form but no sense (an erased marker in a list, an index beyond the prior size, a move to the
///   same place) is read: the rules for applying refuse it (protocol §6.7).
public enum ChangesetCodec {
  /// Reads all instructions of a changeset.
  ///
  /// - Throws: `ChangesetError` for bytes that are not a changeset.
  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(ChangesetError) -> DecodedChangeset {
    var decoder = ChangesetDecoder(bytes)
    return try decoder.decode()
  }

  /// Reads all instructions of a changeset.
  ///
  /// - Throws: `ChangesetError` for bytes that are not a changeset.
  public static func decode(_ bytes: some Collection<UInt8>) throws(ChangesetError) -> DecodedChangeset {
    let result = bytes.withContiguousStorageIfAvailable { decodeResult(UnsafeRawBufferPointer($0)) }
    if let result { return try result.get() }
    return try Array(bytes).withUnsafeBytes { decodeResult($0) }.get()
  }

  /// Writes instructions.
  ///
  /// - Parameter internedStrings: nil to define each string right before the first instruction that needs it, in the
  ///   order of the fields on the wire, as clients do. Otherwise these strings are defined first, in this order
  ///   and even if unused, as after a merge; strings that are missing are defined before their first use.
  public static func encode(_ instructions: [Instruction], internedStrings: [String]? = nil) -> [UInt8] {
    var encoder = ChangesetEncoder()
    encoder.define(internedStrings ?? [])
    for instruction in instructions { encoder.append(instruction) }
    return encoder.output
  }

  /// For the closures of the standard library, which do not carry typed errors.
  private static func decodeResult(
    _ bytes: UnsafeRawBufferPointer
  ) -> Result<DecodedChangeset, ChangesetError> {
    do throws(ChangesetError) { return .success(try decode(bytes)) } catch { return .failure(error) }
  }
}
