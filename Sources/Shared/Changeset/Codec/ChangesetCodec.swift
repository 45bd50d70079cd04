// SPDX-License-Identifier: Apache-2.0

/// The contents of a decoded changeset.
public struct DecodedChangeset: Hashable, Sendable {
  public var instructions: [Instruction]
  /// The interned strings in the order of their definition, including unused ones.
  public var internedStrings: [String]
}

/// The binary form of changesets (protocol §6).
///
/// Decoding accepts everything that a deployed client writes. It is stricter than the reference parser only where a
/// faulty or hostile peer would notice the difference:
///
/// - Integers with more bytes than necessary are accepted, up to 5 bytes for 32-bit and 10 bytes for 64-bit fields:
///   their meaning is clear. Values that exceed the field are rejected, never truncated or wrapped.
/// - Codes (instructions, types, kinds) and flags are exactly one byte with a defined value.
/// - A path element is a 32-bit index or −1. Other negative numbers are rejected.
/// - Timestamps must be normalised: both parts have the same sign, and the nanoseconds are less than a second.
/// - Decimals have a coefficient of at most 113 bits and an exponent that fits the raw format, which admits
///   not-a-number and the infinities. Bit 6 of the coefficient's last byte is a value bit.
/// - Class names, property names, dictionary keys and string keys must be valid UTF-8. String *values* that are not
///   valid UTF-8 become `Value.malformedString`.
/// - Columns and keys must have a type that properties can have. For a class without a declared key, only the key
///   that the reference writes is accepted: named "", not nullable.
/// - Instructions that are well formed but make no sense (an erased marker in a list, an index beyond the prior size,
///   a move to the same place) are accepted here. The rules for applying changesets reject them (protocol §6.7).
public enum ChangesetCodec {
  /// Reads all instructions of a changeset.
  ///
  /// - Parameter maximumCount: The maximum number of instructions.
  /// - Throws: `ChangesetError` for bytes that are not a changeset, or one with more instructions.
  public static func decode(_ bytes: UnsafeRawBufferPointer, maximumCount: Int = .max) throws(ChangesetError)
    -> DecodedChangeset
  {
    var decoder = ChangesetDecoder(bytes, maximumCount: maximumCount)
    return try decoder.decode()
  }

  /// Reads all instructions of a changeset.
  ///
  /// - Parameter maximumCount: The maximum number of instructions.
  /// - Throws: `ChangesetError` for bytes that are not a changeset, or one with more instructions.
  public static func decode(_ bytes: some Collection<UInt8>, maximumCount: Int = .max) throws(ChangesetError)
    -> DecodedChangeset
  {
    let result = bytes.withContiguousStorageIfAvailable {
      decodeResult(UnsafeRawBufferPointer($0), maximumCount)
    }
    if let result { return try result.get() }
    return try Array(bytes).withUnsafeBytes { decodeResult($0, maximumCount) }.get()
  }

  /// Encodes instructions.
  ///
  /// - Parameter internedStrings: The strings to define first, in this order and even if unused, as after a merge.
  ///   Strings missing from it are defined before their first use. Nil defines each string right before the first
  ///   instruction that needs it, in the order of the fields on the wire, as clients do.
  public static func encode(_ instructions: [Instruction], internedStrings: [String]? = nil) -> [UInt8] {
    let writer = ChangesetWriter()
    writer.define(internedStrings ?? [])
    for instruction in instructions { writer.append(instruction) }
    return [UInt8](writer.bytes)
  }

  /// Decodes inside the standard library's closures, which cannot carry typed errors.
  private static func decodeResult(_ bytes: UnsafeRawBufferPointer, _ maximumCount: Int)
    -> Result<DecodedChangeset, ChangesetError>
  {
    do throws(ChangesetError) {
      return .success(try decode(bytes, maximumCount: maximumCount))
    } catch {
      return .failure(error)
    }
  }
}
