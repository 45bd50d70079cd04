// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// A failure that a C function reported.
struct Failure: Error, CustomStringConvertible {
  let status: flx_status_t
  let message: String

  var description: String { "\(String(cString: flx_status_name(status))): \(message)" }
}

/// Calls a C function with room for its error.
func attempt(_ body: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) throws {
  let error = UnsafeMutablePointer<flx_error_t>.allocate(capacity: 1)
  defer { error.deallocate() }
  let status = body(error)
  guard status != .FLX_STATUS_OK else { return }
  #expect(error.pointee.status == status)
  let message = withUnsafeBytes(of: &error.pointee.message) {
    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
  }
  throw Failure(status: status, message: message)
}

/// Expects a failure with a status, and gives its message.
@discardableResult
func expectFailure(
  _ status: flx_status_t,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) -> String {
  do {
    try body()
    Issue.record("expected \(String(cString: flx_status_name(status)))", sourceLocation: sourceLocation)
  } catch let failure as Failure {
    #expect(failure.status == status, "\(failure)", sourceLocation: sourceLocation)
    return failure.message
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
  return ""
}

extension String {
  func withC<Result>(_ body: (flx_string_t) throws -> Result) rethrows -> Result {
    var text = self
    return try text.withUTF8 { bytes in
      try bytes.withMemoryRebound(to: CChar.self) {
        try body(flx_string_t(data: $0.baseAddress, size: $0.count))
      }
    }
  }
}

extension flx_string_t {
  var text: String {
    String(decoding: UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size), as: UTF8.self)
  }
}

/// A value of a property as tests write it.
enum Cell: Equatable {
  case null
  case int(Int64)
  case bool(Bool)
  case string(String)
  case binary([UInt8])
  case timestamp(Int64, Int32)
  case float(Float)
  case double(Double)
  case objectId(String)
  case uuid([UInt8])
  case decimal(String)
  /// A list in a mixed; only read.
  case list
  /// A dictionary in a mixed; only read.
  case dictionary
  case link(row: Int64, flx_class_key_t)

  init(_ value: flx_value_t) {
    switch value.type {
    case .FLX_TYPE_INT: self = .int(value.integer)
    case .FLX_TYPE_BOOL: self = .bool(value.boolean)
    case .FLX_TYPE_STRING: self = .string(value.string.text)
    case .FLX_TYPE_BINARY:
      self = .binary([UInt8](UnsafeRawBufferPointer(start: value.binary.data, count: value.binary.size)))
    case .FLX_TYPE_TIMESTAMP: self = .timestamp(value.timestamp.seconds, value.timestamp.nanoseconds)
    case .FLX_TYPE_FLOAT: self = .float(value.float_value)
    case .FLX_TYPE_DOUBLE: self = .double(value.double_value)
    case .FLX_TYPE_OBJECT_ID:
      var id = value.object_id
      var text = [CChar](repeating: 0, count: 25)
      flx_object_id_format(&id, &text)
      self = .objectId(String(decoding: text.prefix(24).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    case .FLX_TYPE_UUID: self = withUnsafeBytes(of: value.uuid) { .uuid([UInt8]($0)) }
    case .FLX_TYPE_DECIMAL:
      var text = [CChar](repeating: 0, count: Int(FLX_DECIMAL_TEXT_SIZE))
      flx_decimal_format(value.decimal, &text)
      self = .decimal(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    case .FLX_TYPE_LIST: self = .list
    case .FLX_TYPE_DICTIONARY: self = .dictionary
    case .FLX_TYPE_LINK: self = .link(row: value.link.row, value.link.target_class)
    default: self = .null
    }
  }

  func withC<Result>(_ body: (flx_value_t) throws -> Result) rethrows -> Result {
    var value = flx_value_t()
    switch self {
    case .null: value.type = .FLX_TYPE_NULL
    case .int(let integer):
      value.integer = integer
      value.type = .FLX_TYPE_INT
    case .bool(let boolean):
      value.boolean = boolean
      value.type = .FLX_TYPE_BOOL
    case .timestamp(let seconds, let nanoseconds):
      value.timestamp = flx_timestamp_t(seconds: seconds, nanoseconds: nanoseconds)
      value.type = .FLX_TYPE_TIMESTAMP
    case .float(let number):
      value.float_value = number
      value.type = .FLX_TYPE_FLOAT
    case .double(let number):
      value.double_value = number
      value.type = .FLX_TYPE_DOUBLE
    case .objectId(let text):
      #expect(text.withC { flx_object_id_parse($0, &value.object_id) })
      value.type = .FLX_TYPE_OBJECT_ID
    case .uuid(let bytes):
      withUnsafeMutableBytes(of: &value.uuid) { $0.copyBytes(from: bytes) }
      value.type = .FLX_TYPE_UUID
    case .decimal(let text):
      #expect(text.withC { flx_decimal_parse($0, &value.decimal) })
      value.type = .FLX_TYPE_DECIMAL
    case .list: value.type = .FLX_TYPE_LIST
    case .dictionary: value.type = .FLX_TYPE_DICTIONARY
    case .link(let row, let classKey):
      value.link = flx_link_t(row: row, target_class: classKey)
      value.type = .FLX_TYPE_LINK
    case .string(let text):
      return try text.withC {
        value.string = $0
        value.type = .FLX_TYPE_STRING
        return try body(value)
      }
    case .binary(let bytes):
      return try bytes.withUnsafeBytes {
        value.binary = flx_string_t(data: $0.baseAddress?.assumingMemoryBound(to: CChar.self), size: $0.count)
        value.type = .FLX_TYPE_BINARY
        return try body(value)
      }
    }
    return try body(value)
  }
}
