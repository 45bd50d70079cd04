// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

/// A bootstrap in a client file's stream that the client does not have in full.
struct UnfinishedBootstrap {
  /// Its version in the stream.
  let version: UInt64
  let record: BootstrapRecord
  /// The client certainly has the objects that are in all of these views, in their state at this point of the stream.
  let sure: [View.Identity]
  /// The views that the client may have received in part.
  let begun: BegunViews
  /// Whether the client may have kept a part of the bootstrap.
  let isKept: Bool

  /// - Parameter isKept: whether the client may have kept a part of the bootstrap, as it does if the bootstrap is of
  ///   the active version.
  init(version: UInt64, record: BootstrapRecord, isKept: Bool) throws(JSONError) {
    self.version = version
    self.record = record
    self.isKept = isKept
    let before = try record.surelyHeld
    var begun = try BegunViews(text: record.begun)
    sure = isKept ? (before + [record.view]).distinct : before
    // What was placed before a bootstrap with begun views had already been limited to what the bootstrap shows.
    begun.note(begun.parts.isEmpty ? [record.oldView] : sure, at: record.placedVersion)
    if isKept { begun.note([record.view], at: record.placedVersion) }
    self.begun = begun
  }

  /// Whether bootstraps of this client have been cut short too often, or over too much history; see `BegunViews`.
  var isTooLarge: Bool {
    let first = begun.firstPlacedVersion ?? record.placedVersion
    return begun.count > BegunViews.maximumCount || record.begun.utf8.count > BegunViews.maximumByteCount
      || record.placedVersion > first && record.placedVersion - first > BegunViews.maximumSpan
  }
}

extension BootstrapRecord {
  var oldView: View.Identity { View.Identity(body: oldQuery, permissions: oldPermissions) }
  var view: View.Identity { View.Identity(body: query, permissions: permissions) }

  /// The views whose intersection the client certainly had before the bootstrap.
  fileprivate var surelyHeld: [View.Identity] {
    get throws(JSONError) { try ([oldView] + BegunViews(text: begun).views).distinct }
  }
}

extension AppSchema {
  /// Returns the view that a client holds if it has not received the bootstrap in full.
  ///
  /// - Throws: `QuerySetRefusal` if one of the queries or permissions can no longer be interpreted.
  func held(after bootstrap: UnfinishedBootstrap) throws(QuerySetRefusal) -> HeldView {
    HeldView(sure: try intersection(of: bootstrap.sure), possible: try views(of: bootstrap.begun))
  }

  /// Returns the view that a client holds before it receives a bootstrap.
  ///
  /// - Throws: `QuerySetRefusal`; `JSONError` if the record is damaged.
  func held(before record: BootstrapRecord) throws -> HeldView {
    let begun = try BegunViews(text: record.begun)
    let sure = try intersection(of: record.surelyHeld)
    return HeldView(sure: sure, possible: begun.parts.isEmpty ? [sure] : try views(of: begun))
  }

  /// Returns the view that a client holds once it has applied what it has kept of other views.
  ///
  /// - Throws: `QuerySetRefusal`.
  func held(_ view: View, and begun: BegunViews) throws(QuerySetRefusal) -> HeldView {
    let others = try views(of: begun)
    let all = try begun.views.map { identity throws(QuerySetRefusal) in try intersection(of: [identity]) }
    return HeldView(sure: View.intersection(of: [view] + all), possible: [view] + others)
  }

  private func views(of begun: BegunViews) throws(QuerySetRefusal) -> [View] {
    var views: [View] = []
    for part in begun.parts { views.append(try intersection(of: part.views)) }
    return views
  }
}
