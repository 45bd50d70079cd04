// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

/// The views that a client may have received in part, through bootstraps that it does not have in full.
///
/// A client drops the batches of an incomplete bootstrap when a bootstrap of another version arrives. But it keeps
/// those of a bootstrap of the active version, which the server sends when the user's permissions change, and applies
/// them with the purge (protocol §4.3, §4.9). So it may have any of the objects that such a bootstrap adds, and lack
/// any of those that it removes.
struct BegunViews: Hashable {
  /// The objects in the intersection of some views, as they were sent.
  struct Part: Hashable {
    let views: [View.Identity]
    /// The versions of the history at which they were sent, ascending.
    var versions: [UInt64]
  }

  /// The limits beyond which a client has to start over. Without them, a client could prevent the server from
  /// forgetting history, and keep the loop busy with everything that has happened since. Each bootstrap that is cut
  /// short counts twice.
  static let maximumCount = 128
  static let maximumByteCount = 1 << 20
  static let maximumSpan: UInt64 = 50_000
  static let noText = ""

  private(set) var parts: [Part] = []

  /// The version of the history from which the server can determine what the client may have received.
  var firstVersion: UInt64? { parts.compactMap(\.versions.first).min() }

  /// All views, without duplicates.
  var views: [View.Identity] { parts.flatMap(\.views).distinct }

  /// The version of the history at which the first of the bootstraps was placed. The first part is skipped: it is
  /// what the client had before them.
  var firstPlacedVersion: UInt64? { parts.dropFirst().compactMap(\.versions.first).min() }

  /// The number of times that any of the parts was sent.
  var count: Int { parts.reduce(0) { $0 + $1.versions.count } }

  /// Notes that some or all of the objects in the intersection of some views were sent.
  mutating func note(_ views: [View.Identity], at version: UInt64) {
    let views = views.distinct
    guard let index = parts.firstIndex(where: { Set($0.views) == Set(views) }) else {
      return parts.append(Part(views: views, versions: [version]))
    }
    if parts[index].versions.last != version { parts[index].versions.append(version) }
  }

  // MARK: Text

  init() {}

  /// Parses `text`.
  init(text: String) throws(JSONError) {
    guard text != BegunViews.noText else { return }
    let json = try JSON.parse(text)
    let queries = json["queries"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let permissions = json["permissions"]?.arrayValue?.compactMap(\.stringValue) ?? []
    for part in json["parts"]?.arrayValue ?? [] {
      let views = part["views"]?.arrayValue?.compactMap { pair -> View.Identity? in
        let numbers = pair.arrayValue?.compactMap(\.integerValue).map(Int.init(clamping:)) ?? []
        guard numbers.count == 2, queries.indices.contains(numbers[0]),
          permissions.indices.contains(numbers[1])
        else { return nil }
        return View.Identity(body: queries[numbers[0]], permissions: permissions[numbers[1]])
      }
      let versions = part["versions"]?.arrayValue?.compactMap(\.integerValue).map(UInt64.init(clamping:))
      guard let views, !views.isEmpty, let versions, !versions.isEmpty else { continue }
      parts.append(Part(views: views, versions: versions))
    }
  }

  /// The parts as text. It lists queries and permissions separately, because they can be long and most views share
  /// them.
  var text: String {
    guard !parts.isEmpty else { return BegunViews.noText }
    var queries = TextTable()
    var permissions = TextTable()
    let parts = parts.map { part -> JSON in
      let views = part.views.map { view -> JSON in
        [.integer(queries.number(of: view.body)), .integer(permissions.number(of: view.permissions))]
      }
      let versions = part.versions.map { JSON.integer(Int64(clamping: $0)) }
      return ["views": .array(views), "versions": .array(versions)]
    }
    return JSON.object([
      JSON.Member("queries", .array(queries.texts.map(JSON.string))),
      JSON.Member("permissions", .array(permissions.texts.map(JSON.string))),
      JSON.Member("parts", .array(parts)),
    ]).serialized
  }
}

/// A table of numbered texts.
private struct TextTable {
  private(set) var texts: [String] = []
  private var numbers: [JSON: Int64] = [:]

  mutating func number(of text: String) -> Int64 {
    // Unlike Swift strings, JSON values are equal only if their bytes are.
    if let number = numbers[.string(text)] { return number }
    let number = Int64(texts.count)
    numbers[.string(text)] = number
    texts.append(text)
    return number
  }
}

extension Array where Element: Hashable {
  /// The elements without duplicates, in the order of their first occurrence.
  var distinct: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
