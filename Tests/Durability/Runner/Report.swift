// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The objects that a device has.
struct Report {
  struct Entry: Hashable {
    let id: String
    let group: String
    let payloadSize: Int
    let writer: Int
    let number: Int
    let touches: Int
  }

  /// The group that it sees, "*" for all.
  private(set) var group = ""
  /// The last number of each writer.
  private(set) var writers: [Int: Int] = [:]
  private(set) var total = 0
  private(set) var tokens: [String] = []
  private(set) var entries: [Entry] = []

  init(_ file: URL) throws {
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      let numbers = words.map { Int($0) ?? 0 }
      switch words[0] {
      case "group": group = words[1]
      case "writer": writers[numbers[1]] = numbers[2]
      case "total": total = numbers[1]
      case "token": tokens.append(words[1])
      case "entry":
        entries.append(
          Entry(
            id: words[1],
            group: words[2],
            payloadSize: numbers[3],
            writer: numbers[4],
            number: numbers[5],
            touches: numbers[6]
          )
        )
      default: throw TestFailure("a report has the line '\(line)'")
      }
    }
  }
}

/// What is wrong with what processes that were killed have left.
struct Verification {
  /// The number of objects that device 1 makes for all.
  private static let ballastCount = 3 * 34
  private static let ballastID = "00000001"

  private(set) var problems: [String] = []
  let server: Report

  /// - Parameter noted: the last number that each device has noted behind its commit.
  init(_ reports: [Int: Report], noted: [Int: Int]) throws {
    guard let server = reports[0] else { throw TestFailure("nobody has seen the server's objects") }
    self.server = server
    for (writer, number) in noted.sorted(by: { $0.key < $1.key }) { checkWrites(of: writer, noted: number) }
    checkSums()
    for (device, report) in reports.sorted(by: { $0.key < $1.key }) where device != 0 {
      compare(report, device)
    }
  }

  /// Each write of a device is there once, in the device's order.
  private mutating func checkWrites(of writer: Int, noted: Int) {
    let last = server.writers[writer] ?? 0
    if last < noted { problems.append("device \(writer): \(noted) commits, and the server knows of \(last)") }
    let numbers = server.entries.filter { $0.writer == writer && !$0.id.hasPrefix(Self.ballastID) }.map(
      \.number
    )
    if numbers.sorted() != Array(0..<last).map({ $0 + 1 }) {
      problems.append("device \(writer): \(Self.difference(of: numbers, from: last)) among the entries")
    }
    let tokens = server.tokens.compactMap { token in
      let parts = token.split(separator: ":").compactMap { Int($0) }
      return parts[0] == writer ? parts[1] : nil
    }
    guard tokens != Array(0..<last).map({ $0 + 1 }) else { return }
    let what = tokens.sorted() == tokens ? Self.difference(of: tokens, from: last) : "another order"
    problems.append("device \(writer): \(what) among the tokens: \(tokens)")
  }

  private mutating func checkSums() {
    let lasts = server.writers.values
    let expected = lasts.reduce(0) { $0 + $1 * ($1 + 1) / 2 }
    if server.total != expected { problems.append("the counter is \(server.total) instead of \(expected)") }
    let tokenCount = lasts.reduce(0, +)
    if server.tokens.count != tokenCount {
      problems.append("there are \(server.tokens.count) tokens instead of \(tokenCount)")
    }
    let ballastCount = server.entries.count { $0.id.hasPrefix(Self.ballastID) }
    if ballastCount != Self.ballastCount {
      problems.append("\(ballastCount) objects of the ballast are left")
    }
  }

  /// A device has what its subscriptions select on the server.
  private mutating func compare(_ report: Report, _ device: Int) {
    if report.writers != server.writers { problems.append("device \(device): other writers than the server") }
    if report.total != server.total {
      problems.append("device \(device): counter \(report.total), not \(server.total)")
    }
    if report.tokens != server.tokens { problems.append("device \(device): another list than the server") }
    let expected = Set(server.entries.filter { $0.group == report.group })
    let entries = Set(report.entries)
    for entry in expected.subtracting(entries) { problems.append("device \(device) lacks \(entry)") }
    for entry in entries.subtracting(expected) { problems.append("device \(device) has \(entry)") }
  }

  private static func difference(of numbers: [Int], from last: Int) -> String {
    guard last > 0 else { return "\(numbers) of nobody" }
    let counts = numbers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    let missing = (1...last).filter { counts[$0] == nil }
    let repeated = counts.filter { $0.value > 1 || $0.key > last }.keys.sorted()
    return "\(missing) missing and \(repeated) too much"
  }
}
