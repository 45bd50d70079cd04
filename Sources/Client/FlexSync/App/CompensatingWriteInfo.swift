// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A write that the server reverted.
public struct CompensatingWriteInfo: Sendable {
  /// The class of the object.
  public let objectType: String!
  /// The primary key of the object.
  public var primaryKey: AnyRealmValue { key.value }
  /// The reason given by the server.
  public let reason: String!
  private let key: PrimaryKeyCopy

  init(_ write: flx_compensating_write_t) {
    objectType = String(write.class_name)
    reason = String(write.reason)
    key = PrimaryKeyCopy(write.primary_key)
  }
}

/// A copy of an object's primary key that can move between threads.
enum PrimaryKeyCopy: Hashable, Sendable {
  case none
  case int(Int)
  case string(String)
  case objectId(ObjectId)
  case uuid(UUID)

  init(_ value: flx_value_t) {
    switch value.type {
    case .FLX_TYPE_INT: self = .int(Int(value.integer))
    case .FLX_TYPE_STRING: self = .string(String(value.string))
    case .FLX_TYPE_OBJECT_ID: self = .objectId(ObjectId(value.object_id))
    case .FLX_TYPE_UUID: self = .uuid(UUID(uuid: value.uuid.bytes))
    default: self = .none
    }
  }

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
