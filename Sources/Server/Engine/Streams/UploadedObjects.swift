// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// Incrementally finds the objects whose changes a client has uploaded since a bootstrap was placed, and those among
/// them that were in certain views throughout.
final class UploadedObjects {
  private let file: ClientFileRecord
  private let source: StreamSource
  /// Nil if it is no longer known what the client was sent.
  private let views: [View]?
  private let excluded: Set<ObjectReference>
  private var uploads: HistoryPass
  private var history: HistoryPass
  private var candidates: [ObjectReference]?

  /// All uploaded objects.
  private(set) var all: Set<ObjectReference>
  /// The uploaded objects that were in all the views for as long as they existed, and of which all views show the
  /// same properties.
  private(set) var kept: Set<ObjectReference> = []

  /// - Parameters:
  ///   - known: objects that the client is known to have uploaded.
  ///   - hasUploaded: whether it has uploaded anything else.
  ///   - views: the views from before the dropped bootstraps, those of the bootstraps, and the one that follows them.
  ///   - excluded: objects that are never kept.
  init(
    since version: UInt64,
    by file: ClientFileRecord,
    known: Set<ObjectReference>,
    hasUploaded: Bool,
    in views: [View]?,
    excluding excluded: Set<ObjectReference>,
    from source: StreamSource
  ) {
    self.file = file
    self.source = source
    self.views = views
    self.excluded = excluded
    all = known
    history = HistoryPass(after: version)
    uploads = hasUploaded ? history : HistoryPass(after: source.history.version)
  }

  /// - Returns: Whether all objects are known.
  func goOn(_ meter: TurnMeter) throws -> Bool {
    let hasAll = try uploads.goOn(source.history, meter) { piece in
      for committed in piece where committed.entry.stamp.fileIdent == file.ident {
        all.formUnion(committed.entry.images.objects.map(\.object))
      }
    }
    guard hasAll, try chooseCandidates(meter) else { return false }
    if kept.isEmpty { return true }
    return try history.goOn(source.history, meter) { $0.forEach(note) }
  }

  /// Chooses, among the objects that exist, those that are in all views now.
  private func chooseCandidates(_ meter: TurnMeter) throws -> Bool {
    guard let views, let first = views.first else { return true }
    var rest = candidates ?? Array(all.subtracting(excluded))
    defer { candidates = rest }
    while let object = rest.popLast() {
      meter.count()
      if views.allSatisfy({ $0.showsTheSame(of: object.table, as: first) }),
        isInAll(try source.image(of: object), object.table, source.layout(of: object.table))
      {
        kept.insert(object)
      }
      if meter.isExhausted { break }
    }
    return rest.isEmpty
  }

  private func note(_ committed: CommittedEntry) {
    for touched in committed.entry.images.objects where kept.contains(touched.object) {
      let layout = committed.layout(of: touched.object.table)
      let isSeen = [touched.before, touched.after].allSatisfy { image in
        image == nil || isInAll(image, touched.object.table, layout)
      }
      if !isSeen { kept.remove(touched.object) }
    }
  }

  private func isInAll(_ image: ObjectImage?, _ className: String, _ layout: ImageLayout) -> Bool {
    (views ?? []).allSatisfy { $0.surelyContains(image, className: className, layout: layout) }
  }
}
