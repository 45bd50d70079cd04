// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncQuery

// MARK: - Making results

@_cdecl("flx_results_create") @implementation
public func flx_results_create(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, making: out_results, "out_results", error) { realm in
    try realm.requireOpen()
    let info = try realm.schema.requireClass(class_key)
    try info.requireKept()
    return Results(realm, info)
  }
}

@_cdecl("flx_results_filter") @implementation
public func flx_results_filter(
  _ results: OpaquePointer,
  _ query: flx_string_t,
  _ arguments: In<flx_query_argument_t>?,
  _ argument_count: Int,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, making: out_results, "out_results", error) { results in
    let arguments = try results.realm.queryArguments(arguments, count: argument_count)
    return try results.filtered(query.text("The query"), arguments)
  }
}

@_cdecl("flx_results_sort") @implementation
public func flx_results_sort(
  _ results: OpaquePointer,
  _ keys: In<flx_sort_key_t>,
  _ key_count: Int,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, making: out_results, "out_results", error) { results in
    let keys = try CArray.view(keys, count: key_count, "sort keys").map { key in
      try Reserved.requireZero(key.reserved, of: "flx_sort_key_t")
      let path = try results.realm.schema.path(key.key_path.text("A sort key"), of: results.info, for: .sort)
      return SortKey(path, isAscending: key.is_ascending)
    }
    return try results.appending(.sort(keys))
  }
}

@_cdecl("flx_results_distinct") @implementation
public func flx_results_distinct(
  _ results: OpaquePointer,
  _ key_paths: In<flx_string_t>,
  _ key_path_count: Int,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, making: out_results, "out_results", error) { results in
    let paths = try CArray.view(key_paths, count: key_path_count, "key paths").map {
      try results.realm.schema.path($0.text("A key path"), of: results.info, for: .distinct)
    }
    return try results.appending(.distinct(paths))
  }
}

@_cdecl("flx_results_limit") @implementation
public func flx_results_limit(
  _ results: OpaquePointer,
  _ limit: Int,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, making: out_results, "out_results", error) { results in
    // C counts are unsigned: one that does not fit is negative here.
    guard limit >= 0 else {
      throw CoreError.invalidArgument("The limit is out of range: \(UInt(bitPattern: limit)).")
    }
    return try results.appending(.limit(limit))
  }
}

// MARK: - Inspecting

@_cdecl("flx_results_class") @implementation
public func flx_results_class(_ results: OpaquePointer) -> flx_class_key_t {
  Handle.object(results, as: Results.self).info.key
}

@_cdecl("flx_results_predicate") @implementation
public func flx_results_predicate(_ results: OpaquePointer) -> flx_string_t {
  Handle.confined(results, as: Results.self) { $0.predicateText }
}

@_cdecl("flx_results_count") @implementation
public func flx_results_count(_ results: OpaquePointer, _ out_count: Out<Int>, _ error: ErrorOut)
  -> flx_status_t
{
  Results.call(results, writing: out_count, "out_count", error) { try $0.count() }
}

@_cdecl("flx_results_aggregate") @implementation
public func flx_results_aggregate(
  _ results: OpaquePointer,
  _ aggregate: flx_aggregate_t,
  _ property: flx_property_key_t,
  _ out_value: Out<flx_value_t>,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, writing: out_value, "out_value", error) { results in
    try results.realm.requireOpen()
    return try results.lentAggregate(try ResultsAggregate(aggregate), property)
  }
}

@_cdecl("flx_results_explain") @implementation
public func flx_results_explain(_ results: OpaquePointer, _ out_text: Out<flx_string_t>, _ error: ErrorOut)
  -> flx_status_t
{
  Results.call(results, writing: out_text, "out_text", error) { try $0.lentExplanation() }
}

@_cdecl("flx_results_get_object") @implementation
public func flx_results_get_object(
  _ results: OpaquePointer,
  _ index: Int,
  _ out_object: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, often: results, Results.self, Needed(out_object, "out_object")) { results in
    guard let handle = results.relent(index) else { return false }
    out_object.pointee = handle
    return true
  } otherwise: {
    out_object.pointee = try $0.handle(at: index)
  }
}

@_cdecl("flx_results_index_of") @implementation
public func flx_results_index_of(
  _ results: OpaquePointer,
  _ object: OpaquePointer,
  _ out_index: Out<Int>,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, writing: out_index, "out_index", error) { results in
    try results.index(of: Handle.object(object, as: ManagedObject.self)) ?? notFound
  }
}

// MARK: - Deleting and observing

@_cdecl("flx_results_delete_all") @implementation
public func flx_results_delete_all(_ results: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  Results.call(results, error) { try $0.deleteAll() }
}
