// SPDX-License-Identifier: Apache-2.0

/// Whether a realm has everything that a query matches on the server.
public enum Completeness: Hashable, Sendable {
  /// Everything that the query matched on the server, and that the user may read, is there, as of a version of the server.
  /// The server numbers what it sends to each device, so the numbers of two devices cannot be compared.
  case complete(asOf: UInt64)
  /// The subscriptions whose data is on the device do not cover the query, so objects may be missing.
  case incomplete

  fileprivate init(_ results: ResultsBox) {
    self = results.completeVersion.map { .complete(asOf: $0) } ?? .incomplete
  }
}

extension Results where Element: Object {
  /// Whether the realm has everything that these results match on the server, whatever their order and limit.
  ///
  /// They are complete if a subscription whose data is on the device has their condition, or only some of what it joins
  /// by `&&`; also if all that it joins by `||` is covered in this way.
  ///
  /// ```swift
  /// try await realm.syncSession?.wait(for: .download)
  /// realm.refresh()
  /// if case .incomplete = tasks.completeness { print("There may be more tasks than these.") }
  /// ```
  ///
  /// Call it where the results may be used. A realm that is not synced stops the program.
  public var completeness: Completeness { Completeness(box) }
}

extension SyncSubscription {
  /// Whether the realm has everything that the subscription matches on the server. It is incomplete if the program does
  /// not have its class.
  ///
  /// Call it where the realm may be used.
  public var completeness: Completeness {
    let query = RenderedQuery(text: queryString, arguments: [])
    guard let results = try? handle.allObjects(ofClass: objectType).filtered(query, in: handle) else {
      return .incomplete
    }
    return Completeness(results)
  }
}
