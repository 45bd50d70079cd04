// SPDX-License-Identifier: Apache-2.0

import FlexSyncMatcher
import FlexSyncModel
import FlexSyncServerStore

/// A view that live files follow.
final class LiveView {
  let view: View
  /// The idents of the files that follow it.
  fileprivate(set) var files: Set<UInt64> = []
  fileprivate var predicates: [(className: String, id: PredicateID)] = []
  /// The changes since the last settlement to objects in the view, from the part of the history that has been read.
  fileprivate(set) var touches: [ViewTouch] = []

  fileprivate init(_ view: View) { self.view = view }

  /// Returns the touches after a version.
  func touches(after version: UInt64) -> [ViewTouch] {
    let first = touches.lastIndex { $0.entry.entry.version <= version }.map { $0 + 1 } ?? 0
    return Array(touches[first...])
  }
}

/// The views of all live files, indexed so that the cost of a change depends on the views that it concerns, not on
/// the number of connected clients (Docs/Architecture.md). Confined to the loop.
///
/// Each version of the history is read once and noted with the views that it concerns. Once the streams of the files
/// that follow those views are extended, the turn settles: all live files are then up to date, including those that
/// were not examined.
final class LiveViews {
  /// The predicates of one class.
  private final class ClassIndex {
    var index = PredicateIndex()
    /// The views, by the number of their predicate.
    var views: [[LiveView]] = []
    /// For the latest layout of images, the field that belongs to each slot; -1 for none.
    var mapping: (layout: ImageLayout, fields: [Int])?
  }

  private let history: CommittedHistory
  /// Makes the meter that limits how much is read at once.
  private let makeMeter: () -> TurnMeter
  private var classes: [String: ClassIndex] = [:]
  private var views: [ObjectIdentifier: LiveView] = [:]
  private var concerned: [LiveView] = []
  /// The version up to which the history is noted with the views.
  private var readVersion: UInt64
  /// The version up to which the streams of all added files are extended.
  private(set) var settledVersion: UInt64

  /// - Parameter makeMeter: makes the meter that limits how much is read at once.
  init(history: CommittedHistory, makeMeter: @escaping () -> TurnMeter = { .unlimited() }) {
    self.history = history
    self.makeMeter = makeMeter
    readVersion = history.version
    settledVersion = history.version
  }

  // MARK: Files

  /// Adds a file whose stream is extended to the version that is about to be settled.
  func add(_ file: LiveFile) {
    guard !file.view.isEmpty else { return }
    let key = ObjectIdentifier(file.view)
    let live = views[key] ?? index(file.view)
    views[key] = live
    live.files.insert(file.ident)
    file.liveView = live
  }

  /// Removes a file, and notes in its record how far its stream has been extended.
  func remove(_ file: LiveFile) {
    guard let live = file.liveView else { return }
    file.liveView = nil
    file.record.placedVersion = max(file.record.placedVersion, settledVersion)
    live.files.remove(file.ident)
    guard live.files.isEmpty else { return }
    views[ObjectIdentifier(live.view)] = nil
    for (className, id) in live.predicates {
      guard let classIndex = classes[className] else { continue }
      classIndex.views[id.offset].removeAll { $0 === live }
      classIndex.index.remove(id)
      if classIndex.index.count == 0 { classes[className] = nil }
    }
  }

  /// Returns the version up to which the stream of a file is extended; for a file without queries, always the newest
  /// one.
  func placedVersion(of file: LiveFile) -> UInt64 {
    if file.view.isEmpty { return history.version }
    return file.liveView == nil ? file.record.placedVersion : max(file.record.placedVersion, settledVersion)
  }

  private func index(_ view: View) -> LiveView {
    let live = LiveView(view)
    for className in view.classNames {
      let classIndex = classes[className] ?? ClassIndex()
      classes[className] = classIndex
      let id = classIndex.index.add(view.predicate(of: className))
      while classIndex.views.count <= id.offset { classIndex.views.append([]) }
      classIndex.views[id.offset].append(live)
      live.predicates.append((className, id))
    }
    return live
  }

  // MARK: History

  /// The number of versions that are not noted with the views yet.
  var unreadCount: UInt64 { history.version - min(readVersion, history.version) }

  /// Whether the history has additions that not all streams cover yet.
  var isBehind: Bool { unreadCount > 0 || !concerned.isEmpty }

  /// Notes additions to the history with the views, or some of them if there are many.
  ///
  /// - Returns: Whether all are noted.
  func read() throws -> Bool {
    let meter = makeMeter()
    while unreadCount > 0, !views.isEmpty {
      for committed in try history.piece(after: readVersion) {
        note(committed)
        readVersion = committed.entry.version
        meter.count(steps: 1 + committed.entry.images.objects.count)
        if meter.isExhausted { return unreadCount == 0 }
      }
    }
    readVersion = history.version
    return true
  }

  private func note(_ committed: CommittedEntry) {
    for (number, touched) in committed.entry.images.objects.enumerated() {
      guard let classIndex = classes[touched.object.table] else { continue }
      let fields = mapping(classIndex, committed.layout(of: touched.object.table))
      classIndex.index.forEachMatch(
        before: touched.before?.slots(fields),
        after: touched.after?.slots(fields)
      ) { [classIndex] id, match in
        for live in classIndex.views[id.offset] {
          if live.touches.isEmpty { concerned.append(live) }
          live.touches.append(
            ViewTouch(entry: committed, number: number, wasIn: match.before, isIn: match.after)
          )
        }
      }
    }
  }

  private func mapping(_ classIndex: ClassIndex, _ layout: ImageLayout) -> [Int] {
    let slots = classIndex.index.slots
    if let mapping = classIndex.mapping, mapping.layout === layout, mapping.fields.count == slots.count {
      return mapping.fields
    }
    let fields = slots.map { layout.index(of: $0) ?? -1 }
    classIndex.mapping = (layout, fields)
    return fields
  }

  /// The idents of the files that the history read so far concerns.
  var concernedFiles: [UInt64] { concerned.flatMap(\.files) }

  /// Notes that all added files are extended to the end of the history. Requires that all of it has been read.
  func settle() {
    for live in concerned { live.touches = [] }
    concerned = []
    readVersion = history.version
    settledVersion = history.version
  }

  /// Discards what was noted since the last settlement, because some of it was rolled back. The history is read
  /// again.
  func rewind() {
    for live in concerned { live.touches = [] }
    concerned = []
    readVersion = views.isEmpty ? history.version : min(settledVersion, history.version)
  }

  /// Removes all files.
  func removeAll() {
    classes = [:]
    views = [:]
    concerned = []
    readVersion = history.version
  }
}

extension ObjectImage {
  /// Returns the fields that an index asks for.
  fileprivate func slots(_ fields: [Int]) -> SlotImage {
    SlotImage(
      fields.map { field in
        guard field >= 0, field < self.fields.count else { return .value(.null) }
        return switch self.fields[field] {
        case .value(let value): .value(value)
        case .elements(let elements): .elements(elements)
        }
      }
    )
  }
}
