// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// The JSON object in the body of a request.
struct RequestBody {
  private let json: JSON

  /// Parses a body. An empty body counts as an empty object.
  ///
  /// - Throws: `APIError` if the body is not a JSON object.
  init(_ bytes: [UInt8]) throws(APIError) {
    guard !bytes.isEmpty else {
      json = .object([])
      return
    }
    do {
      json = try JSON.parse(bytes)
    } catch {
      throw .badRequest("the body is \(error)")
    }
    guard json.objectValue != nil else { throw .badRequest("the body is not a JSON object") }
  }

  /// Returns a required, non-empty string.
  func string(_ name: String) throws(APIError) -> String {
    guard let text = json[name]?.stringValue, !text.isEmpty else {
      throw .badRequest("\"\(name)\" is missing or not a string")
    }
    return text
  }

  /// Returns a string that may be missing; nil if it is empty.
  func text(_ name: String) -> String? {
    json[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The device identifier that the client received at an earlier log-in, if it sends one.
  var deviceID: String? {
    let text = json["options"]?["device"]?["deviceId"]?.stringValue
    return text.flatMap(ObjectId.init(hex:))?.description
  }
}
