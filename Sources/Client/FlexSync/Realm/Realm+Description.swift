// SPDX-License-Identifier: Apache-2.0

extension Realm: CustomStringConvertible {
  /// The place of the realm: its file, or its name in memory.
  public var description: String {
    configuration.inMemoryIdentifier.map { "Realm(inMemoryIdentifier: \($0))" }
      ?? "Realm(file: \(handle.path))"
  }
}

extension SyncSubscription: CustomStringConvertible {
  /// The name, if there is one, the class and the query, as in `open: Task where completed == 0`.
  public var description: String { (name.map { "\($0): " } ?? "") + "\(objectType) where \(queryString)" }
}

extension SyncSubscriptionSet: CustomStringConvertible {
  /// The state and the subscriptions.
  public var description: String {
    "SyncSubscriptionSet(\(state), version \(version): [\(map(\.description).joined(separator: ", "))])"
  }
}
