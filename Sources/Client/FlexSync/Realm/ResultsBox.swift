// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Owns the handle of results, shared by all their copies.
final class ResultsBox {
  let pointer: OpaquePointer

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_results_release(pointer) }

  var count: Int {
    var count = 0
    trapOnMisuse { flx_results_count(pointer, &count, $0) }
    return count
  }

  /// Returns a new handle of the object at an index.
  func object(at index: Int) -> OpaquePointer {
    made { flx_results_get_object(pointer, index, &$0, $1) }
  }

  func filtered(_ query: RenderedQuery) throws -> ResultsBox {
    try query.withFlex { text, arguments in
      ResultsBox(
        takingOver: try make {
          flx_results_filter(pointer, text, arguments.baseAddress, arguments.count, &$0, $1)
        }
      )
    }
  }
}
