// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

extension TestResults {
  func aggregate(_ aggregate: flx_aggregate_t, _ name: String) throws -> Cell {
    let key = try realm.property(className, name).key
    var value = flx_value_t()
    try attempt { flx_results_aggregate(handle, aggregate, key, &value, $0) }
    return Cell(value)
  }

  func distinct(_ paths: [String]) throws -> TestResults {
    var keeper = Keeper()
    defer { keeper.free() }
    let texts = paths.map { keeper.keep($0) }
    var result: OpaquePointer?
    try attempt { flx_results_distinct(handle, texts, texts.count, &result, $0) }
    return TestResults(realm, className, try #require(result))
  }

  func limit(_ count: Int) throws -> TestResults {
    var result: OpaquePointer?
    try attempt { flx_results_limit(handle, count, &result, $0) }
    return TestResults(realm, className, try #require(result))
  }

  var explanation: String {
    get throws {
      var text = flx_string_t()
      try attempt { flx_results_explain(handle, &text, $0) }
      return text.text
    }
  }
}

/// A query handle.
final class TestQuery {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flx_query_release(handle) }

  func validateForSync(fields: [String]? = nil) throws {
    var keeper = Keeper()
    defer { keeper.free() }
    let texts = fields?.map { keeper.keep($0) }
    try attempt { flx_query_validate_for_sync(handle, texts, texts?.count ?? 0, $0) }
  }
}

extension TestRealm {
  func query(_ className: String, _ text: String, _ arguments: [Cell] = []) throws -> TestQuery {
    let key = try classKey(className)
    var query: OpaquePointer?
    try withQueryArguments(arguments) { arguments in
      try text.withC { text in
        try attempt {
          flx_query_create(handle, key, text, arguments.baseAddress, arguments.count, &query, $0)
        }
      }
    }
    return TestQuery(try #require(query))
  }
}
