// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What callbacks on any thread were told, in order.
final class Recorder<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  var all: [Value] { values.withLock { $0 } }

  func add(_ value: Value) { values.withLock { $0.append(value) } }
}
