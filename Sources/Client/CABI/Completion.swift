// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTransport

/// The function of the program to which the outcome of an operation is reported on the loop.
struct Completion<Value: Sendable>: Sendable {
  typealias Report = @Sendable (Result<Value, CoreError>) -> Void

  let report: Report

  /// - Parameter call: calls the function with the userdata and either a value or an error.
  private init<Callback>(
    _ callback: Callback,
    _ userdata: Userdata,
    _ function: StaticString,
    _ call: @escaping @Sendable (UnsafeMutableRawPointer?, Value?, UnsafePointer<flx_error_t>?) -> Void
  ) {
    Needed.insist(Needed(callback: callback, "completion"), function: function)
    report = { result in
      switch result {
      case .success(let value): call(userdata.pointer, value, nil)
      case .failure(let error): error.withCError { call(userdata.pointer, nil, $0) }
      }
    }
  }

  /// Whether this is the child of a fork. If so, the program has been notified through the callback.
  func refusesChild() -> Bool { ForkGuard.refuses { report(.failure($0)) } }
}

extension Completion<Void> {
  init(_ callback: flx_completion_t, _ userdata: Userdata, function: StaticString = #function) {
    self.init(callback, userdata, function) { callback($0, $2) }
  }
}

extension Completion<User> {
  init(_ callback: flx_user_completion_t, _ userdata: Userdata, function: StaticString = #function) {
    self.init(callback, userdata, function) { callback($0, $1.map { Handle.retained($0) }, $2) }
  }
}

extension Completion<[APIKey]> {
  init(_ callback: flx_api_keys_completion_t, _ userdata: Userdata, function: StaticString = #function) {
    self.init(callback, userdata, function) { userdata, keys, error in
      let array = keys.map(APIKey.array)
      callback(userdata, array, keys?.count ?? 0, error)
      flx_free(array)
    }
  }
}

extension Completion<String> {
  init(_ callback: flx_function_completion_t, _ userdata: Userdata, function: StaticString = #function) {
    self.init(callback, userdata, function) { userdata, result, error in
      (result ?? "").withCText { callback(userdata, $0, error) }
    }
  }
}

extension Completion<HTTPResponse> {
  init(_ callback: flx_http_completion_t, _ userdata: Userdata, function: StaticString = #function) {
    self.init(callback, userdata, function) { userdata, response, error in
      guard let response else { return callback(userdata, nil, error) }
      response.withC { callback(userdata, $0, nil) }
    }
  }
}
