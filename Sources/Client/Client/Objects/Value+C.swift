// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel

extension Value {
  /// Returns the value for C; text and bytes are copied into `texts`. A link, which C identifies by row, becomes
  /// null; see `Realm.lent`. A collection is returned without its contents.
  func lent(_ texts: inout TextArena) -> flx_value_t {
    var value = flx_value_t()
    value.type = cType
    switch self {
    case .null, .link: value.type = .FLX_TYPE_NULL
    case .list: value.type = .FLX_TYPE_LIST
    case .dictionary: value.type = .FLX_TYPE_DICTIONARY
    case .decimal(let decimal): value.decimal = flx_decimal_t(decimal)
    case .int(let integer): value.integer = integer
    case .bool(let boolean): value.boolean = boolean
    case .string(var text):
      value.string = text.withUTF8 { texts.copy(UnsafeRawBufferPointer($0)) }
    case .malformedString(let bytes): value.string = bytes.withUnsafeBytes { texts.copy($0) }
    case .binary(let bytes): value.binary = bytes.withUnsafeBytes { texts.copy($0) }
    case .timestamp(let timestamp): value.timestamp = flx_timestamp_t(timestamp)
    case .float(let number): value.float_value = number
    case .double(let number): value.double_value = number
    case .objectId(let id): value.object_id = flx_object_id_t(id)
    case .uuid(let id): value.uuid = flx_uuid_t(id)
    }
    return value
  }

  private var cType: flx_type_t {
    type.flatMap { flx_type_t(rawValue: Int32($0.rawValue)) } ?? .FLX_TYPE_NULL
  }
}

extension flx_value_t {
  /// Converts the value to the model.
  ///
  /// - Parameter what: the name of the argument in messages.
  /// - Throws: `CoreError` INVALID_ARGUMENT for impossible values, TYPE_MISMATCH for links, which only a realm can
  ///   resolve, and for collections, which are not values.
  func model(_ what: @autoclosure () -> String) throws -> Value {
    switch type {
    case .FLX_TYPE_NULL: return .null
    case .FLX_TYPE_INT: return .int(integer)
    case .FLX_TYPE_BOOL: return .bool(boolean)
    case .FLX_TYPE_STRING: return .string(try string.text(what()))
    case .FLX_TYPE_BINARY: return .binary(try binary.bytes(what()))
    case .FLX_TYPE_TIMESTAMP:
      guard let time = Timestamp(seconds: timestamp.seconds, nanoseconds: timestamp.nanoseconds) else {
        throw CoreError.invalidArgument(
          "\(what()): the parts of a timestamp must have the same sign, and its nanoseconds must be below 10⁹."
        )
      }
      return .timestamp(time)
    case .FLX_TYPE_FLOAT: return .float(float_value)
    case .FLX_TYPE_DOUBLE: return .double(double_value)
    case .FLX_TYPE_OBJECT_ID: return .objectId(object_id.model)
    case .FLX_TYPE_UUID: return .uuid(uuid.model)
    case .FLX_TYPE_DECIMAL: return .decimal(decimal.model)
    case .FLX_TYPE_LINK: throw CoreError(.typeMismatch, "\(what()) cannot be a link.")
    case .FLX_TYPE_LIST, .FLX_TYPE_DICTIONARY:
      throw CoreError(
        .typeMismatch,
        "\(what()) cannot be a collection. Create the collection in its place instead."
      )
    default:
      throw CoreError.invalidArgument("\(what()) has an unknown type (\(type.rawValue)).")
    }
  }
}

extension flx_string_t {
  /// Returns a copy of the bytes.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT for NULL with a size.
  fileprivate func bytes(_ what: @autoclosure () -> String) throws -> [UInt8] {
    guard data != nil || size == 0, size >= 0 else {
      throw CoreError.invalidArgument("\(what()) has a size of \(size) bytes, but its data is NULL.")
    }
    return [UInt8](bytes)
  }
}
