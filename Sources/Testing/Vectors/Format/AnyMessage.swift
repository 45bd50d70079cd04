// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncWire

/// A message in either direction.
enum AnyMessage: Equatable {
  case client(ClientMessage)
  case server(ServerMessage)

  init(_ bytes: [UInt8], isFromClient: Bool) throws(ProtocolError) {
    self = isFromClient ? .client(try ClientMessage.decode(bytes)) : .server(try ServerMessage.decode(bytes))
  }

  var isFromClient: Bool {
    switch self {
    case .client: true
    case .server: false
    }
  }

  func encode(isCompressionAllowed: Bool) -> [UInt8] {
    switch self {
    case .client(let message): message.encode(isCompressionAllowed: isCompressionAllowed)
    case .server(let message): message.encode(isCompressionAllowed: isCompressionAllowed)
    }
  }

  /// Returns whether the body of this message, encoded as `bytes`, is compressed.
  func isCompressed(_ bytes: [UInt8]) -> Bool {
    let head = bytes.prefix { $0 != UInt8(ascii: "\n") }.split(separator: UInt8(ascii: " "))
    switch self {
    case .client(.upload): return head.count > 2 && head[2].elementsEqual("1".utf8)
    case .server(.download): return head.count > 3 && head[head.count - 3].elementsEqual("1".utf8)
    default: return false
    }
  }

  /// The fields in the terms of the vectors. Numbers are strings.
  var fields: [String: JSON] {
    switch self {
    case .client(let message): message.vectorFields
    case .server(let message): message.vectorFields
    }
  }
}
