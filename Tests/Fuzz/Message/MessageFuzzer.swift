// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncWire

/// Reads any bytes as a sync message of either direction. Built by Scripts/fuzz with libFuzzer.
///
/// The first byte chooses the direction and whether the rest is a message, the body of a compressed message, or compressed
/// bytes. What is read must be the same after it was written and read again, in every version of the protocol.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessage(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let mode = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  let isFromClient = mode & 1 == 0
  switch mode >> 1 & 3 {
  case 0, 1: if isFromClient { takeClientMessage(rest) } else { takeServerMessage(rest) }
  case 2: takeCompressed(body: rest, isFromClient: isFromClient)
  default: inflate(rest)
  }
  return 0
}

private let limits = MessageLimits(bodyByteCount: 1 << 20)

private func takeClientMessage(_ bytes: [UInt8]) {
  guard let message = try? ClientMessage.decode(bytes, limits: limits) else { return }
  let again = try? ClientMessage.decode(message.encode(), limits: limits)
  precondition(again == message, "\(message) is read again as \(String(describing: again))")
  switch message {
  case .bind(let bind): for version in versions { _ = try? bind.options(version: version) }
  case .ident(let ident): check(ident.queryBody)
  case .query(_, _, let body): check(body)
  default: break
  }
}

/// A set of queries that is understood prints as one that says the same.
private func check(_ body: [UInt8]) {
  guard let set = try? QuerySet(body: body) else { return }
  precondition((try? QuerySet(body: set.body)) == set)
}

private func takeServerMessage(_ bytes: [UInt8]) {
  guard let message = try? ServerMessage.decode(bytes, limits: limits) else { return }
  let again = try? ServerMessage.decode(message.encode(), limits: limits)
  precondition(again == message, "\(message) is read again as \(String(describing: again))")
  for version in versions { precondition(!message.encode(version: version).isEmpty) }
}

/// A compressed body means what the body means.
private func takeCompressed(body: [UInt8], isFromClient: Bool) {
  guard let compressed = Zlib.compress(body) else { return }
  let plain = message(isFromClient, "0 \(body.count) 0", body)
  let packed = message(isFromClient, "1 \(body.count) \(compressed.count)", compressed)
  let longer = message(isFromClient, "1 \(body.count + 1) \(compressed.count)", compressed)
  if isFromClient {
    let decoded = try? ClientMessage.decode(packed, limits: limits)
    precondition(decoded == (try? ClientMessage.decode(plain, limits: limits)))
    precondition((try? ClientMessage.decode(longer, limits: limits)) == nil)
  } else {
    let decoded = try? ServerMessage.decode(packed, limits: limits)
    precondition(decoded == (try? ServerMessage.decode(plain, limits: limits)))
    precondition((try? ServerMessage.decode(longer, limits: limits)) == nil)
  }
}

private func message(_ isFromClient: Bool, _ compression: String, _ body: [UInt8]) -> [UInt8] {
  let head =
    isFromClient ? "upload 1 \(compression) 5 3 3\n" : "download 1 3 6 3 77 6 0 1 2 1 \(compression)\n"
  return Array(head.utf8) + body
}

/// Compressed bytes never become more, or less, than announced.
private func inflate(_ bytes: [UInt8]) {
  for size in [0, 1, 1_000, limits.bodyByteCount] {
    guard let inflated = try? Zlib.inflate(bytes[...], size: size) else { continue }
    precondition(inflated.count == size)
  }
}

private let versions = (2...14).compactMap(SyncProtocolVersion.init)
