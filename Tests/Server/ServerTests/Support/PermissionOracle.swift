// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import Testing

@testable import FlexSyncServer

/// Knows what each client of a test may see and do at each version of the history, and checks what they are sent and what
/// is taken from them. It judges by code of its own, not by predicates.
final class PermissionOracle {
  private struct Period {
    let role: TestRole
    let from: UInt64
    var to: UInt64?
  }

  private struct Token {
    let object: ObjectReference
    let field: String
    let since: UInt64
    var until: UInt64?
  }

  /// By client. The role in force from a version on.
  private var periods: [[Period]]
  /// By object; tasks that are there with what they hold.
  private var timelines: [ObjectReference: [(version: UInt64, fields: TaskFields?)]] = [:]
  private var tokens: [String: Token] = [:]
  private var names: [ObjectReference: String] = [:]
  /// Who has written a text.
  private var authors: [String: Int] = [:]
  private var version: UInt64 = 0
  private var tokenCount = 0
  private(set) var checkCount = 0
  let words: String

  init(_ words: String, clientCount: Int) {
    self.words = words
    periods = Array(repeating: [Period(role: TestRole(), from: 0)], count: clientCount)
  }

  func role(of client: Int) -> TestRole { periods[client].last?.role ?? TestRole() }

  func change(_ client: Int, to role: TestRole, at version: UInt64) {
    periods[client][periods[client].count - 1].to = version
    periods[client].append(Period(role: role, from: version))
  }

  /// A text that has not been written.
  func newToken(by client: Int) -> String {
    tokenCount += 1
    authors["t\(tokenCount)"] = client
    return "t\(tokenCount)"
  }

  // MARK: History

  /// - Parameter clients: by file ident.
  func read(_ store: ServerStore, clients: [UInt64: Int]) throws {
    for entry in try store.history(after: version, through: .max >> 1) {
      version = entry.version
      let author = clients[entry.stamp.fileIdent]
      let before = Dictionary(
        uniqueKeysWithValues: entry.images.objects.map { ($0.object, timelines[$0.object]?.last?.fields) }
      )
      for instruction in entry.instructions { note(instruction, entry.version) }
      guard let author else { continue }
      for object in entry.images.objects.map(\.object) {
        check(author, object, before: before[object] ?? nil, entry)
      }
    }
  }

  private func note(_ instruction: Instruction, _ version: UInt64) {
    guard let object = instruction.object else { return }
    var fields = timelines[object]?.last?.fields
    switch instruction {
    case .createObject: fields = fields ?? TaskFields()
    case .eraseObject: fields = nil
    case .update(let path, .value(let value), _) where path.path.isEmpty:
      switch (path.field, value) {
      case ("assignee", .string(let name)): fields?.assignee = name
      case ("assignee", _): fields?.assignee = nil
      case ("progressMinutes", .int(let minutes)): fields?.minutes = minutes
      default: break
      }
    default: break
    }
    if timelines[object]?.last?.version == version { timelines[object]?.removeLast() }
    timelines[object, default: []].append((version, fields))
    guard let (text, field) = instruction.token else { return }
    if field != "members" {
      if let old = names[object], let token = tokens[old] {
        tokens[old]?.until = max(version - 1, token.since)
      }
      names[object] = text
    }
    tokens[text] = Token(object: object, field: field, since: version)
  }

  /// Checks that an author may have made a change.
  private func check(_ author: Int, _ object: ObjectReference, before: TaskFields?, _ entry: HistoryEntry) {
    guard let role = periods[author].last(where: { $0.from < entry.version })?.role else { return }
    let after = timelines[object]?.last?.fields
    let words = "\(words): \(object.key) at \(entry.version) by client \(author)"
    guard object.table == "Task" else {
      #expect(role.hasTeams, "\(words)")
      return
    }
    for task in [before, after].compactMap(\.self) {
      #expect(role.read.matches(task) && role.write.matches(task), "\(words): \(task) with \(role)")
    }
    for instruction in entry.instructions where instruction.object == object {
      switch instruction {
      case .createObject: #expect(before != nil || after == nil || role.insert, "\(words)")
      case .eraseObject: #expect(before == nil || role.delete, "\(words)")
      default:
        let field = instruction.path?.field ?? ""
        #expect(!role.hidden.union(role.fixed).contains(field), "\(words): \(field)")
      }
    }
  }

  // MARK: Downloads

  /// Checks what a client is sent.
  func check(_ instructions: [Instruction], to client: Int) {
    for instruction in instructions {
      guard let object = instruction.object, let (text, field) = instruction.token else { continue }
      checkCount += 1
      guard authors[text] != client else { continue }
      guard let token = tokens[text], token.object == object, token.field == field else {
        Issue.record("\(words): client \(client) was sent \(text) as \(object.key).\(field)")
        continue
      }
      let isSeen = periods[client].contains { sees(token, in: $0) }
      #expect(isSeen, "\(words): client \(client) was sent \(text) of \(object.key).\(field) at \(version)")
    }
  }

  /// Whether a token could be seen at some version of a period.
  private func sees(_ token: Token, in period: Period) -> Bool {
    let first = max(token.since, period.from)
    let last = min(token.until ?? version, period.to ?? version)
    guard first <= last, period.role.shows(token.field, of: token.object.table) else { return false }
    let timeline = timelines[token.object] ?? []
    return timeline.indices.contains { index in
      let end = index + 1 < timeline.count ? timeline[index + 1].version - 1 : UInt64.max
      guard timeline[index].version <= last, end >= first, let fields = timeline[index].fields else {
        return false
      }
      return period.role.canRead(token.object.table, fields)
    }
  }
}

extension Instruction {
  /// The text by which what is sent is recognised, and the property that it belongs to.
  fileprivate var token: (text: String, field: String)? {
    switch self {
    case .update(let path, .value(.string(let text)), _),
      .arrayInsert(let path, .value(.string(let text)), _):
      text.first == "t" && Int(text.dropFirst()) != nil ? (text, path.field) : nil
    default: nil
    }
  }
}
