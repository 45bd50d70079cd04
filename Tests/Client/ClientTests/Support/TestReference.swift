// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

/// A reference's handle, which any thread may use.
final class Reference: @unchecked Sendable {
  typealias Out = UnsafeMutablePointer<OpaquePointer?>
  typealias ErrorOut = UnsafeMutablePointer<flx_error_t>

  private let handle: OpaquePointer

  init(_ make: (Out, ErrorOut) -> flx_status_t) throws {
    var handle: OpaquePointer?
    try attempt { make(&handle, $0) }
    self.handle = try #require(handle)
  }

  deinit { flx_reference_release(handle) }

  private func resolve(_ function: (Out, ErrorOut) -> flx_status_t) throws -> OpaquePointer? {
    var found: OpaquePointer?
    try attempt { function(&found, $0) }
    return found
  }

  func object(in realm: TestRealm, _ className: String) throws -> TestObject? {
    try resolve { flx_realm_resolve_object(realm.handle, handle, $0, $1) }.map {
      TestObject(realm, className, $0)
    }
  }

  func list(in realm: TestRealm) throws -> TestList? {
    try resolve { flx_realm_resolve_list(realm.handle, handle, $0, $1) }.map { TestList($0) }
  }

  func set(in realm: TestRealm) throws -> TestValueSet? {
    try resolve { flx_realm_resolve_set(realm.handle, handle, $0, $1) }.map { TestValueSet($0) }
  }

  func dictionary(in realm: TestRealm) throws -> TestDictionary? {
    try resolve { flx_realm_resolve_dictionary(realm.handle, handle, $0, $1) }.map { TestDictionary($0) }
  }

  func results(in realm: TestRealm, _ className: String) throws -> TestResults? {
    try resolve { flx_realm_resolve_results(realm.handle, handle, $0, $1) }.map {
      TestResults(realm, className, $0)
    }
  }
}
