// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncModel
import FlexSyncQuery

/// Writes the value of a text to `out`. Returns false if the text has none.
private func parse<Value>(
  _ text: flx_string_t,
  to out: Out<Value>,
  _ name: StaticString,
  function: StaticString = #function,
  _ value: (String) -> Value?
) -> Bool {
  Needed.insist(Needed(out, name), function: function)
  guard let text = try? text.text("text"), let value = value(text) else { return false }
  out.pointee = value
  return true
}

@_cdecl("flx_object_id_generate") @implementation
public func flx_object_id_generate() -> flx_object_id_t {
  flx_object_id_t(ObjectIdGenerator.next())
}

@_cdecl("flx_object_id_parse") @implementation
public func flx_object_id_parse(_ text: flx_string_t, _ out_id: Out<flx_object_id_t>) -> Bool {
  parse(text, to: out_id, "out_id") { ObjectId(hex: $0).map(flx_object_id_t.init) }
}

@_cdecl("flx_object_id_format") @implementation
public func flx_object_id_format(_ id: In<flx_object_id_t>, _ out_text: Out<CChar>) {
  Needed.insist(Needed(id, "id"))
  Needed.insist(Needed(out_text, "out_text"))
  id.pointee.model.description.copy(to: out_text)
}

@_cdecl("flx_uuid_generate") @implementation
public func flx_uuid_generate() -> flx_uuid_t { flx_uuid_t(UUIDValue.random()) }

@_cdecl("flx_uuid_parse") @implementation
public func flx_uuid_parse(_ text: flx_string_t, _ out_uuid: Out<flx_uuid_t>) -> Bool {
  parse(text, to: out_uuid, "out_uuid") { UUIDValue($0).map(flx_uuid_t.init) }
}

@_cdecl("flx_uuid_format") @implementation
public func flx_uuid_format(_ uuid: In<flx_uuid_t>, _ out_text: Out<CChar>) {
  Needed.insist(Needed(uuid, "uuid"))
  Needed.insist(Needed(out_text, "out_text"))
  uuid.pointee.model.description.copy(to: out_text)
}

@_cdecl("flx_decimal_parse") @implementation
public func flx_decimal_parse(_ text: flx_string_t, _ out_decimal: Out<flx_decimal_t>) -> Bool {
  parse(text, to: out_decimal, "out_decimal") { Decimal128(number: $0).map(flx_decimal_t.init) }
}

@_cdecl("flx_decimal_format") @implementation
public func flx_decimal_format(_ decimal: flx_decimal_t, _ out_text: Out<CChar>) {
  Needed.insist(Needed(out_text, "out_text"))
  decimal.model.text.copy(to: out_text)
}

@_cdecl("flx_decimal_compare") @implementation
public func flx_decimal_compare(_ left: flx_decimal_t, _ right: flx_decimal_t) -> Int32 {
  Int32(left.model.numericOrder(to: right.model).signum())
}

@_cdecl("flx_decimal_add") @implementation
public func flx_decimal_add(_ left: flx_decimal_t, _ right: flx_decimal_t) -> flx_decimal_t {
  flx_decimal_t(left.model + right.model)
}

@_cdecl("flx_decimal_subtract") @implementation
public func flx_decimal_subtract(_ left: flx_decimal_t, _ right: flx_decimal_t) -> flx_decimal_t {
  flx_decimal_t(left.model - right.model)
}

@_cdecl("flx_decimal_multiply") @implementation
public func flx_decimal_multiply(_ left: flx_decimal_t, _ right: flx_decimal_t) -> flx_decimal_t {
  flx_decimal_t(left.model * right.model)
}

@_cdecl("flx_decimal_divide") @implementation
public func flx_decimal_divide(_ left: flx_decimal_t, _ right: flx_decimal_t) -> flx_decimal_t {
  flx_decimal_t(left.model / right.model)
}
