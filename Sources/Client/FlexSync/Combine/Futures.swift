// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
import Combine
#else
import FlexSync
@preconcurrency import OpenCombine
#endif

typealias ResultCompletion<Value> = @Sendable (Result<Value, any Error>) -> Void
typealias EndCompletion = @Sendable ((any Error)?) -> Void

/// Starts a request and returns what its completion will receive.
func future<Value>(_ start: @escaping (@escaping ResultCompletion<Value>) -> Void) -> Future<Value, any Error>
{
  Future { promise in
    // A promise may be kept from any thread, but is not declared as sendable.
    let deliver = Delivery(promise)
    start { result in deliver(result) }
  }
}

/// Starts a request that yields nothing, and returns its end.
func futureEnd(_ start: @escaping (@escaping EndCompletion) -> Void) -> Future<Void, any Error> {
  future { complete in start { error in complete(error.map { .failure($0) } ?? .success(())) } }
}
