// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

/// Checks of `convergence.jsonl` and its bases: a server and clients exchange changesets until they all agree.
struct ConvergenceVectors {
  private let bases: [String: ObjectModel]

  /// Reads the bases from a file next to the rows' file.
  init(path: String) throws {
    let basesPath = try VectorFile.companion(of: path, suffix: "_bases.json")
    bases = try MergeVectors.models(path: basesPath)
  }

  func check(_ row: JSON, report: inout VectorReport) throws -> String? {
    guard let base = bases[try row.text("base")] else { throw VectorError("no base \(try row.text("base"))") }
    var server = ReplayServer(model: base)
    var clients: [UInt64: ReplayClient] = [:]
    for ident in try row.elements("clients") {
      let ident: UInt64 = try ident.asNumber()
      clients[ident] = ReplayClient(ident: ident, model: base)
    }
    var hasOtherErasures = false
    for (offset, step) in try row.elements("steps").enumerated() {
      let ident: UInt64 = try step.number("client")
      guard var client = clients[ident] else { throw VectorError("no client \(ident)") }
      let difference = try replay(step, &client, &server)
      clients[ident] = client
      guard let difference else { continue }
      guard difference.isErasuresOnly else { return "step \(offset): \(difference.description)" }
      hasOtherErasures = true
    }
    if hasOtherErasures { report.note("equal set erasures are discarded that the reference's buffer keeps") }
    let expected = try ModelState(vector: row.field("state").field("objects"))
    if let difference = server.model.state.difference(from: expected) { return "server: \(difference)" }
    for (ident, client) in clients.sorted(by: { $0.key < $1.key }) {
      if let difference = client.model.state.difference(from: expected) {
        return "client \(ident): \(difference)"
      }
    }
    return nil
  }

  private func replay(
    _ step: JSON,
    _ client: inout ReplayClient,
    _ server: inout ReplayServer
  ) throws -> OutputDifference? {
    switch try step.text("do") {
    case "commit":
      let stamp = OriginStamp(timestamp: try step.number("timestamp"), fileIdent: client.ident)
      let instructions = try Instruction.list(vector: step.field("instructions"))
      try client.commit(
        Changeset(stamp: stamp, instructions: instructions),
        version: try step.number("client_version")
      )
      return nil
    case "upload":
      let version: UInt64 = try step.number("client_version")
      guard let changeset = client.committed[version] else {
        throw VectorError("no version \(version) to upload")
      }
      let integrated = try server.integrate(
        changeset,
        baseVersion: try step.number("base_server_version"),
        version: try step.number("server_version")
      )
      let expected = try step["integrated"].map { try Instruction.list(vector: $0) } ?? changeset.instructions
      return OutputDifference(integrated, expected)
    case "download":
      let entries = try step.elements("changesets").map { try DownloadedChangeset(vector: $0) }
      let applied = try client.integrate(entries)
      let expected = entries.map { $0.applied ?? $0.changeset.instructions }
      return zip(applied, expected).lazy.compactMap { OutputDifference($0, $1) }.first
    case let name: throw VectorError("no step is called \(name)")
    }
  }
}

/// The difference between a transformed changeset and that of the row.
private struct OutputDifference: CustomStringConvertible {
  let description: String
  /// Whether only erasures from sets differ: the reference compares their strings by their position in a buffer.
  let isErasuresOnly: Bool

  init?(_ found: [Instruction], _ expected: [Instruction]) {
    guard let difference = ChangesetVectors.difference(found, expected) else { return nil }
    description = difference
    isErasuresOnly = found.filter { !$0.isSetErase } == expected.filter { !$0.isSetErase }
  }
}

extension Instruction {
  fileprivate var isSetErase: Bool {
    if case .setErase = self { true } else { false }
  }
}

/// An entry of a download step.
struct DownloadedChangeset {
  let changeset: Changeset
  /// The client version up to which the server had integrated the client's changes.
  let clientVersion: UInt64
  /// The reference's transformed instructions, if it changed them.
  let applied: [Instruction]?

  init(vector json: JSON) throws(VectorError) {
    changeset = try Changeset(vector: json)
    clientVersion = try json.number("last_integrated_client_version")
    if let instructions = json["applied"] {
      applied = try Instruction.list(vector: instructions)
    } else {
      applied = nil
    }
  }
}
