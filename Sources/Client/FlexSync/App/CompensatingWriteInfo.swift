// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A write that the server reverted.
public struct CompensatingWriteInfo: Sendable {
  /// The class of the object.
  public let objectType: String!
  /// The primary key of the object.
  public var primaryKey: AnyRealmValue { key.value }
  /// The reason given by the server.
  public let reason: String!
  let key: PrimaryKeyCopy
}

/// A copy of an object's primary key that can move between threads.
enum PrimaryKeyCopy: Hashable, Sendable {
  case none
  case int(Int)
  case string(String)
  case objectId(ObjectId)
  case uuid(UUID)

  var value: AnyRealmValue {
    switch self {
    case .none: .none
    case .int(let number): .int(number)
    case .string(let text): .string(text)
    case .objectId(let id): .objectId(id)
    case .uuid(let id): .uuid(id)
    }
  }
}
