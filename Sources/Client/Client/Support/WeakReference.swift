// SPDX-License-Identifier: Apache-2.0

/// Remembers an object without keeping it alive.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?

  init(_ object: Object) { self.object = object }
}
