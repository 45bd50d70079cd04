// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

/// The views of which a client may have received a part, by bootstraps that it does not have in full.
///
/// A client drops the batches of such a bootstrap when one of another version comes. The batches of a bootstrap of the
/// active version, by which the server tells what the user may see now, it keeps, and applies them with the purge (protocol
/// §4.3, §4.9). So it may have any of the objects that such a bootstrap brings, and lack any of those that it takes away.
struct BegunViews: Hashable {
  /// The objects that are in all of some views, as they were sent.
  struct Part: Hashable {
    let views: [View.Identity]
    /// At which versions of the history they were sent, ascending.
    var versions: [UInt64]
  }

  /// A client with more of these starts over: otherwise it could keep the history from being forgotten, and the loop busy
  /// with what has happened since. Each bootstrap that is cut short counts twice.
  static let maximumCount = 128
  static let maximumByteCount = 1 << 20
  static let maximumSpan: UInt64 = 50_000
  static let noText = ""

  private(set) var parts: [Part] = []

  /// The version of the history from which on it can be told what the client may have received.
  var firstVersion: UInt64? { parts.compactMap(\.versions.first).min() }

  /// All views, each once.
  var views: [View.Identity] { parts.flatMap(\.views).distinct }

  /// The version of the history at which the first of the bootstraps was placed. The first part is what the client had
  /// before them.
  var firstPlacedVersion: UInt64? { parts.dropFirst().compactMap(\.versions.first).min() }

  /// How often something was sent.
  var count: Int { parts.reduce(0) { $0 + $1.versions.count } }

  /// Notes that the objects in all of some views were sent, or some of them.
  mutating func note(_ views: [View.Identity], at version: UInt64) {
    let views = views.distinct
    guard let index = parts.firstIndex(where: { Set($0.views) == Set(views) }) else {
      return parts.append(Part(views: views, versions: [version]))
    }
    if parts[index].versions.last != version { parts[index].versions.append(version) }
  }

  // MARK: Text

  init() {}

  /// Reads `text`.
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

  /// Queries and permissions can be long, and most views share them.
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

/// Texts by number.
private struct TextTable {
  private(set) var texts: [String] = []
  private var numbers: [JSON: Int64] = [:]

  mutating func number(of text: String) -> Int64 {
    // Unlike texts, JSON values are equal only if their bytes are.
    if let number = numbers[.string(text)] { return number }
    let number = Int64(texts.count)
    numbers[.string(text)] = number
    texts.append(text)
    return number
  }
}

extension Array<View.Identity> {
  /// Each once, in the order in which they come first.
  var distinct: [View.Identity] {
    var seen: Set<View.Identity> = []
    return filter { seen.insert($0).inserted }
  }
}
