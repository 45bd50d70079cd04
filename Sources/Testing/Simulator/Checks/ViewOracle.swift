// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncWire

/// Determines which client could see which item at each version of the server's history, and checks what is sent to
/// whom.
///
/// The oracle applies the history to its own model, which contains only the fields that determine visibility.
final class ViewOracle {
  /// A view that a client has or may have, for a range of versions.
  private struct Period {
    /// The version of the subscription set.
    let set: Int64
    let view: ItemView
    /// The role of the client's user in this period.
    let role: Int
    let from: UInt64
    /// The end of the period; nil while it lasts.
    var to: UInt64?
  }

  /// A text written into an item.
  private struct Token {
    let item: ObjectReference
    /// The item's property that contains the text.
    let field: String
    /// The client file of the author.
    let origin: UInt64
    var since: UInt64
    /// The last version before another text replaced it, where that is known.
    var until: UInt64?
  }

  private var timelines: [ObjectReference: [(version: UInt64, fields: ItemView.Fields?)]] = [:]
  /// The items that have ever been erased.
  private var erasedItems: Set<ObjectReference> = []
  private var tokens: [String: Token] = [:]
  private var titles: [ObjectReference: String] = [:]
  private var periods: [[Period]]
  /// The current role number of each client's user.
  private var roles: [Int]
  /// The client files that each client has had.
  private var files: [Set<UInt64>]
  /// The newest version of the history processed so far.
  private(set) var version: UInt64 = 0
  private(set) var checkedTextCount = 0

  /// - Parameter roles: The initial role number of each client's user.
  init(roles: [Int]) {
    self.roles = roles
    periods = Array(repeating: [], count: roles.count)
    files = Array(repeating: [], count: roles.count)
  }

  // MARK: Events

  func integrated(_ entries: [HistoryEntry]) {
    for entry in entries {
      version = entry.version
      for instruction in entry.instructions { note(instruction, entry) }
      forgiveErasures(in: entry)
    }
  }

  /// Allows clients that saw an object before to be sent texts that a transaction writes into it and then erases.
  private func forgiveErasures(in entry: HistoryEntry) {
    for text in entry.instructions.flatMap(\.tokens) {
      guard let token = tokens[text], let last = timelines[token.item]?.last, last.fields == nil else {
        continue
      }
      tokens[text]?.since = entry.version - 1
    }
  }

  private func note(_ instruction: Instruction, _ entry: HistoryEntry) {
    noteRole(instruction)
    guard let item = instruction.object, item.table == SimulationSchema.item else { return }
    var fields = timelines[item]?.last?.fields
    switch instruction {
    case .createObject: fields = fields ?? ItemView.Fields()
    case .eraseObject:
      fields = nil
      erasedItems.insert(item)
    case .update(let path, .value(let value), _) where path.path.isEmpty: fields?.set(path.field, value)
    default: break
    }
    if let last = timelines[item]?.last, last.version == entry.version {
      timelines[item]?.removeLast()
    }
    timelines[item, default: []].append((entry.version, fields))
    for text in instruction.tokens {
      // Text that a client writes again after a reset is not new.
      let since = tokens[text]?.since ?? entry.version
      tokens[text] = Token(
        item: item,
        field: instruction.field ?? "",
        origin: entry.stamp.fileIdent,
        since: since
      )
    }
    if case .update(let path, _, _) = instruction, path.field == "title", let text = instruction.tokens.first
    {
      if let old = titles[item], old != text, let token = tokens[old] {
        // A value that the same transaction overwrites is seen only together with the entire transaction.
        tokens[old]?.until = max(entry.version - 1, token.since)
      }
      titles[item] = text
    }
  }

  /// From the version that changes a user's role, only the new role counts, whatever else happens in that turn.
  private func noteRole(_ instruction: Instruction) {
    guard case .update(let path, .value(.int(let number)), _) = instruction,
      let client = periods.indices.first(where: { SimulationSchema.member($0) == path.object })
    else { return }
    changed(client, to: Int(number))
  }

  /// Records that a client has requested a view.
  func subscribed(_ client: Int, to view: ItemView, set: Int64) {
    periods[client].append(Period(set: set, view: view, role: roles[client], from: version, to: nil))
  }

  /// Records that the role of a client's user has changed and that the server has been notified.
  func changed(_ client: Int, to role: Int) {
    guard role != roles[client] else { return }
    roles[client] = role
    for index in periods[client].indices where periods[client][index].to == nil {
      let period = periods[client][index]
      periods[client][index].to = version
      periods[client].append(
        Period(set: period.set, view: period.view, role: role, from: version, to: nil)
      )
    }
  }

  /// Records that a requested set is in force. Sets requested earlier no longer are.
  func activated(_ client: Int, set: Int64) {
    guard let active = periods[client].lastIndex(where: { $0.set == set }) else { return }
    // A newer set may have been lost with the power of the device, or may never have been stored.
    periods[client][active].to = nil
    for index in periods[client].indices.prefix(active) where periods[client][index].to == nil {
      periods[client][index].to = version
    }
  }

  // MARK: Checking

  /// Checks a message sent to a client, and notes the client file that it may name.
  func received(_ message: ServerMessage, by client: Int) throws {
    switch message {
    case .ident(_, let file): files[client].insert(file.ident)
    case .download(let download):
      for entry in download.entries {
        try check(try ChangesetCodec.decode(entry.changeset).instructions, to: client)
      }
    default: break
    }
  }

  private func check(_ instructions: [Instruction], to client: Int) throws {
    for instruction in instructions {
      guard let item = instruction.object, item.table == SimulationSchema.item else { continue }
      for text in instruction.tokens { try check(text, item, client) }
    }
  }

  private func check(_ text: String, _ item: ObjectReference, _ client: Int) throws {
    checkedTextCount += 1
    guard let token = tokens[text] else {
      throw SimulationFailure("client \(client) was sent \(text), which the server's history does not have")
    }
    guard token.item == item else {
      throw SimulationFailure("client \(client) was sent \(text) of \(token.item.key) as part of \(item.key)")
    }
    guard !files[client].contains(token.origin) else { return }
    let last = token.until ?? version
    let isVisible = periods[client].contains { period in
      !ItemRole.all[period.role].hiddenFields.contains(token.field)
        && self.isVisible(item, in: period, from: token.since, to: last)
    }
    guard isVisible else {
      throw SimulationFailure(
        "client \(client) was sent \(text) in \(token.field) of item \(item.key), which it could not see while that was its value "
          + "(versions \(token.since) to \(last), now \(version); "
          + "views \(periods[client].map { "\($0.view.query ?? "-") of \(ItemRole.all[$0.role].read) \($0.from)…\($0.to ?? version)" }); "
          + "item \(timelines[item] ?? []))"
      )
    }
  }

  /// Returns whether an item exists, was never erased, and was always in a view.
  func wasAlwaysThere(_ item: ObjectReference, in view: ItemView) -> Bool {
    guard !erasedItems.contains(item), let timeline = timelines[item] else { return false }
    return timeline.allSatisfy { moment in moment.fields.map(view.matches) == true }
  }

  /// Returns whether an item was in a view at any version in a range.
  private func isVisible(_ item: ObjectReference, in period: Period, from: UInt64, to: UInt64) -> Bool {
    let first = max(from, period.from)
    let last = min(to, period.to ?? version)
    guard first <= last, let timeline = timelines[item] else { return false }
    for (index, moment) in timeline.enumerated() {
      let end = index + 1 < timeline.count ? timeline[index + 1].version - 1 : UInt64.max
      guard moment.version <= last, end >= first, let fields = moment.fields else { continue }
      if period.view.matches(fields), ItemRole.all[period.role].canRead(fields) { return true }
    }
    return false
  }
}

extension Instruction {
  /// The property of the object that the instruction changes.
  var field: String? {
    switch self {
    case .update(let path, _, _), .arrayInsert(let path, _, _), .addInteger(let path, _), .clear(let path, _),
      .setInsert(let path, _), .setErase(let path, _), .arrayErase(let path, _), .arrayMove(let path, _, _):
      path.field
    default: nil
    }
  }

  /// The texts in the instruction by which it is recognised in what is sent to clients.
  fileprivate var tokens: [String] {
    let payload: Payload? =
      switch self {
      case .update(_, let payload, _), .arrayInsert(_, let payload, _): payload
      default: nil
      }
    guard case .value(.string(let text))? = payload, text.first == "t", Int(text.dropFirst()) != nil else {
      return []
    }
    return [text]
  }
}
