// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Owns the handle of results, shared by all their copies.
final class ResultsBox {
  let pointer: OpaquePointer

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer?) {
    guard let pointer else { preconditionFailure("creating results returned no handle") }
    self.pointer = pointer
  }

  deinit { flx_results_release(pointer) }

  var count: Int {
    var count = 0
    trapOnMisuse { flx_results_count(pointer, &count, $0) }
    return count
  }

  /// Returns a new handle of the object at an index.
  func object(at index: Int) -> OpaquePointer {
    var object: OpaquePointer?
    if flx_results_get_object(pointer, index, &object, nil) != .FLX_STATUS_OK {
      // Once more, to learn why.
      trapOnMisuse { flx_results_get_object(pointer, index, &object, $0) }
    }
    guard let object else { preconditionFailure("reading an object returned no handle") }
    return object
  }

  func filtered(_ query: RenderedQuery) throws -> ResultsBox {
    var result: OpaquePointer?
    try query.withFlex { text, arguments in
      try check { flx_results_filter(pointer, text, arguments.baseAddress, arguments.count, &result, $0) }
    }
    return ResultsBox(takingOver: result)
  }
}
