// SPDX-License-Identifier: Apache-2.0

/// The reason the two sides could not agree on a sub-protocol.
public enum NegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The client offers only Realm's partition-based protocol.
  case partitionBasedOnly
  /// The client offers no protocol that the server supports.
  case noCommonVersion(offer: String)
  /// The server's answer was not among the offers.
  case badAnswer(String?)

  public var description: String {
    switch self {
    case .partitionBasedOnly:
      "the client offers partition-based sync only; open the realm with a Flexible Sync configuration"
    case .noCommonVersion(let offer):
      "no common version of \(SubprotocolNegotiation.prefix): offered '\(offer)', "
        + "supported \(SyncProtocolVersion.oldest) to \(SyncProtocolVersion.newest)"
    case .badAnswer(let answer?): "the server chose '\(answer)', which was not offered"
    case .badAnswer(nil): "the server chose no sub-protocol"
    }
  }
}

/// The sub-protocol that both sides agreed on.
public struct NegotiatedSubprotocol: Hashable, Sendable {
  public let version: SyncProtocolVersion
  /// The value of the server's `Sec-WebSocket-Protocol` header, spelled as in the offer.
  public let name: String
}

/// Selects the protocol version in the upgrade request (protocol §1.3).
public enum SubprotocolNegotiation {
  public static let prefix = "com.mongodb.realm-query-sync"
  static let partitionBasedPrefix = "com.mongodb.realm-sync"

  /// The offer of FlexSync's client: the version whose syntax it uses, regardless of what would be negotiated.
  public static let clientOffer = ["\(prefix)#\(SyncProtocolVersion.newest)"]

  /// Selects the highest version in an offer.
  ///
  /// - Parameter offer: The value of `Sec-WebSocket-Protocol`. Join several headers with commas.
  public static func select(offer: String) throws(NegotiationError) -> NegotiatedSubprotocol {
    var best: NegotiatedSubprotocol?
    var isPartitionBased = false
    for element in offer.split(separator: ",") {
      let name = trimmed(element)
      if name.hasPrefix(partitionBasedPrefix) { isPartitionBased = true }
      guard let candidate = highestVersion(named: name) else { continue }
      if candidate.version > best?.version ?? .oldest || best == nil { best = candidate }
    }
    if let best { return best }
    throw isPartitionBased ? .partitionBasedOnly : .noCommonVersion(offer: offer)
  }

  /// Selects the highest version of partition-based sync in an offer, so that the server can tell a client that
  /// offers nothing else, in its own protocol, that it is in the wrong place.
  public static func selectPartitionBased(offer: String) -> NegotiatedSubprotocol? {
    offer.split(separator: ",").compactMap {
      highestVersion(named: trimmed($0), prefix: partitionBasedPrefix)
    }
    .max { $0.version < $1.version }
  }

  /// Checks a server's answer to `clientOffer`.
  ///
  /// - Parameter answer: The value of `Sec-WebSocket-Protocol` in the 101 response; nil if it has none.
  public static func check(answer: String?) throws(NegotiationError) -> SyncProtocolVersion {
    guard let answer, clientOffer.contains(answer), let chosen = highestVersion(named: answer) else {
      throw .badAnswer(answer)
    }
    return chosen.version
  }

  /// Returns the highest supported version in `prefix#N`, `prefix/N`, or the range `prefix#N-M`.
  private static func highestVersion(named name: String, prefix: String = SubprotocolNegotiation.prefix)
    -> NegotiatedSubprotocol?
  {
    guard name.hasPrefix(prefix) else { return nil }
    let rest = name.dropFirst(prefix.count)
    guard let separator = rest.first, separator == "#" || separator == "/" else { return nil }
    let bounds = rest.dropFirst().split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard bounds.count == 1 || bounds.count == 2, let low = bounds[0], let high = bounds[bounds.count - 1]
    else {
      return nil
    }
    guard low <= high,
      let version = SyncProtocolVersion(rawValue: min(high, SyncProtocolVersion.newest.rawValue)),
      version.rawValue >= low
    else { return nil }
    return NegotiatedSubprotocol(version: version, name: "\(prefix)\(separator)\(version)")
  }

  private static func trimmed(_ text: Substring) -> String {
    func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
    let tail = text.drop(while: isSpace)
    return String(tail.reversed().drop(while: isSpace).reversed())
  }
}
