// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Foundation

/// Plays a scenario with clients of one make against a server of its own, and compares what they tell.
final class ScenarioRun {
  private let scenario: Scenario
  private let make: ClientMake
  private let observing: ClientMake
  private let folder: String
  private let server: SyncServer
  private var participants: [String: any Participant] = [:]

  /// - Parameter observing: what the observer of the scenario is made of.
  init(_ scenario: Scenario, with make: ClientMake, observing: ClientMake, _ options: Options) throws {
    self.scenario = scenario
    self.make = make
    self.observing = observing
    folder = "\(options.folder)/\(make.name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    server = try SyncServer(executable: options.server, app: options.app, folder: folder)
  }

  func end() {
    for participant in participants.values { participant.kill() }
    server.kill()
  }

  /// - Throws: at the first line that is not as in the transcript.
  func play() throws {
    var told: [String] = []
    for (index, step) in scenario.steps.enumerated() {
      let lines: [String]
      do {
        lines = try play(step)
      } catch {
        throw InteropError("\(make.name), step \(index + 1) \(step.serialized): \(error)")
      }
      for line in lines {
        try require(line, at: told.count, step: index + 1)
        told.append(line)
      }
    }
    guard told.count == scenario.transcript.count else {
      throw InteropError("\(make.name): it should go on with '\(scenario.transcript[told.count])'")
    }
  }

  /// The whole story as it is told, to be reviewed and put into the scenario.
  func record() throws -> [String] { try scenario.steps.flatMap(play) }

  private func require(_ line: String, at index: Int, step: Int) throws {
    let wanted = index < scenario.transcript.count ? make.told(scenario.transcript[index]) : "the end"
    guard line != wanted else { return }
    throw InteropError(
      """
      \(make.name), step \(step), line \(index + 1):
        wanted: \(wanted)
        told:   \(line)
      """
    )
  }

  private func play(_ step: JSON) throws -> [String] {
    guard let name = step["device"]?.stringValue else { throw InteropError("a step lacks 'device'") }
    let participant = try participant(name)
    let lines: [String]
    switch step["do"] {
    case "open":
      try participant.start()
      lines = ["opened"]
    case "kill":
      participant.kill()
      lines = ["killed"]
    case "objects":
      let className = step["class"]?.stringValue ?? ""
      lines = try describe(participant.objects(of: className), of: className)
    default:
      lines = try participant.play(step)
    }
    return lines.map { "\(name): \($0)" }
  }

  private func participant(_ name: String) throws -> any Participant {
    if let participant = participants[name] { return participant }
    let make = name == scenario.observer ? observing : make
    let participant = try make.participant(name, server: server, folder: folder)
    participants[name] = participant
    return participant
  }

  /// A line an object, by id, in a form that does not depend on the make.
  private func describe(_ objects: [JSON], of className: String) -> [String] {
    let lines = objects.map { "  \($0.canonical.serialized)" }
    return ["\(objects.count) \(className)"] + lines.sorted()
  }
}
