// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// Reads any bytes as two concurrent changesets, merges them and applies them to objects. Built by Scripts/fuzz with
/// libFuzzer.
///
/// The first two bytes are the length of the first changeset. What is read must be the same after it was written and read
/// again; merging and applying end with an error of the changeset or leave objects that can be read. Applying the bytes
/// directly does the same as decoding them first.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChangeset(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard count >= 2 else { return 0 }
  let length = min(Int(input[0]) << 8 | Int(input[1]), count - 2)
  Objects.shared.take(encoded: Array(input[2..<2 + length]))
  let first = instructions(input[2..<2 + length])
  let second = instructions(input[(2 + length)...])
  if let first { Objects.shared.take(first) }
  guard let first, let second, !first.isEmpty, !second.isEmpty else { return 0 }
  merge(first, second)
  return 0
}

private func instructions(_ bytes: ArraySlice<UInt8>) -> [Instruction]? {
  guard let decoded = try? ChangesetCodec.decode(bytes) else { return nil }
  let written = ChangesetCodec.encode(decoded.instructions, internedStrings: decoded.internedStrings)
  let again = try? ChangesetCodec.decode(written)
  precondition(again == decoded, "\(decoded) is read again as \(String(describing: again))")
  let packed = ChangesetCodec.encode(decoded.instructions)
  precondition((try? ChangesetCodec.decode(packed))?.instructions == decoded.instructions)
  return decoded.instructions
}

/// Both orders are tried: what the sides are called must not matter, and either is the server's at some time.
private func merge(_ first: [Instruction], _ second: [Instruction]) {
  let left = Changeset(stamp: OriginStamp(timestamp: 1, fileIdent: 1), instructions: first)
  let right = Changeset(stamp: OriginStamp(timestamp: 2, fileIdent: 2), instructions: second)
  let one = merged(left, right)
  let other = merged(right, left)
  precondition(
    one?.local == other?.incoming && one?.incoming == other?.local,
    "the order of the sides matters"
  )
  guard let one else { return }
  Objects.shared.take(first + one.incoming)
  Objects.shared.take(second + one.local)
}

private func merged(_ left: Changeset, _ right: Changeset) -> (local: [Instruction], incoming: [Instruction])?
{
  var local = [left]
  var incoming = [right]
  guard (try? Merge.transform(local: &local, incoming: &incoming)) != nil else { return nil }
  return (local[0].instructions, incoming[0].instructions)
}
