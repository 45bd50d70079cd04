// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncQuery

@_cdecl("flx_query_parse") @implementation
public func flx_query_parse(_ query: flx_string_t, _ out_position: Out<Int>?, _ error: ErrorOut)
  -> flx_status_t
{
  withStatus(error) {
    do {
      let text = try query.text("The query")
      try RoomyStack.run { _ = try Query.parse(text) }
    } catch let refusal as QueryError {
      out_position?.pointee = refusal.position ?? 0
      throw refusal
    }
  }
}

@_cdecl("flx_query_create") @implementation
public func flx_query_create(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ query: flx_string_t,
  _ arguments: In<flx_query_argument_t>?,
  _ argument_count: Int,
  _ out_query: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, making: out_query, "out_query", error) { realm in
    try realm.requireOpen()
    return try PreparedQuery(
      query.text("The query"),
      className: realm.schema.requireClass(class_key).name,
      schema: realm.schema.schema,
      arguments: realm.queryArguments(arguments, count: argument_count)
    )
  }
}

@_cdecl("flx_query_canonical") @implementation
public func flx_query_canonical(_ query: OpaquePointer) -> flx_string_t {
  Handle.object(query, as: PreparedQuery.self).canonicalText
}

@_cdecl("flx_query_validate_for_sync") @implementation
public func flx_query_validate_for_sync(
  _ query: OpaquePointer,
  _ queryable_fields: In<flx_string_t>?,
  _ queryable_field_count: Int,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error) {
    let fields = try CArray.view(queryable_fields, count: queryable_field_count, "queryable fields")
      .map { try $0.text("A queryable field") }
    try Handle.object(query, as: PreparedQuery.self)
      .validateForSync(queryableFields: queryable_fields == nil ? nil : Set(fields))
  }
}
