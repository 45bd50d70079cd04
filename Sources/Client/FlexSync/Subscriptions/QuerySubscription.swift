// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A subscription to be added: a class, a condition and, optionally, a name.
///
/// ```swift
/// QuerySubscription<Task>(name: "long-running-completed") {
///   $0.completed == true && $0.progressMinutes > 120
/// }
/// ```
public struct QuerySubscription<ObjectType: Object> {
  let name: String?
  let condition: (Results<ObjectType>) throws -> Results<ObjectType>

  /// Subscribes to all objects of the class.
  public init(name: String? = nil) {
    self.name = name
    condition = { $0 }
  }

  /// Subscribes to the objects that satisfy a condition.
  public init(name: String? = nil, query: (Query<ObjectType>) -> Query<Bool>) {
    self.name = name
    let condition = query(.root)
    self.condition = { results in results.where { _ in condition } }
  }

  /// Subscribes to the objects that match a query in Realm Query Language; `$0`, `$1` … stand for the arguments.
  public init(name: String? = nil, where query: String, _ arguments: Any...) {
    self.init(name) { RenderedQuery(text: query, anyArguments: arguments) }
  }

  /// Subscribes to the objects that satisfy a predicate.
  public init(name: String? = nil, where predicate: NSPredicate) {
    self.init(name) { RenderedQuery(predicate) }
  }

  private init(_ name: String?, _ query: @escaping () -> RenderedQuery) {
    self.name = name
    condition = { try $0.filtered(query()) }
  }
}
