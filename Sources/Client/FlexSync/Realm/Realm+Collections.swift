// SPDX-License-Identifier: Apache-2.0

extension Realm {
  /// Deletes the objects of a map; their entries remain, with nil.
  public func delete<Key: _MapKey, Value: Object>(_ map: Map<Key, Value?>) {
    for object in map.values { if let object { delete(object) } }
  }
}
