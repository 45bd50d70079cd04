// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

/// Checks of `merge.jsonl` and its bases.
struct MergeVectors {
  private let bases: [String: ObjectModel]

  /// Reads the bases from a file next to the rows' file.
  init(path: String) throws {
    let basesPath = try VectorFile.companion(of: path, suffix: "_bases.json")
    bases = try Self.models(path: basesPath)
  }

  /// Returns the states in a file of bases, checked against their descriptions in the file.
  static func models(path: String) throws -> [String: ObjectModel] {
    var models: [String: ObjectModel] = [:]
    for member in try VectorFile.value(path: path).objectValue ?? [] {
      var model = ObjectModel()
      try model.apply(Instruction.list(vector: member.value.field("instructions")))
      if let difference = model.state.difference(from: try ModelState(vector: member.value.field("objects")))
      {
        throw VectorError("base \(member.name): \(difference)")
      }
      models[member.name] = model
    }
    return models
  }

  func check(_ row: JSON, report: inout VectorReport) throws -> String? {
    let left = try Changeset.list(vector: row.field("left"))
    let right = try Changeset.list(vector: row.field("right"))
    if let error = row["error"] { return expectError(try error.asText(), left, right) }
    let ends = try MergedEnds(left: left, right: right)
    let mirrored = try MergedEnds(left: right, right: left)
    guard ends.left == mirrored.right, ends.right == mirrored.left, ends.doubts == mirrored.doubts else {
      return "another result when the sides change roles"
    }
    guard let base = bases[try row.text("base")] else { throw VectorError("no base \(try row.text("base"))") }
    let difference = try difference(ends, row)
    if row["state_omitted"] != nil {
      return difference == nil ? nil : convergence(of: ends, left, right, base, outputs: difference, &report)
    }
    if row["applies"]?.boolValue == false || row["converges"]?.boolValue == false {
      return convergence(of: ends, left, right, base, outputs: difference, &report)
    }
    if let difference {
      guard row["depends_on_buffer"]?.boolValue == true else { return difference }
      report.note(
        "which of two equal set erasures is discarded depends on the reference's buffer; ours converge"
      )
    }
    return try stateDifference(
      ends,
      left,
      right,
      base,
      ModelState(vector: row.field("state").field("objects"))
    )
  }

  private func expectError(_ expected: String, _ left: [Changeset], _ right: [Changeset]) -> String? {
    do throws(MergeError) {
      _ = try MergedEnds(left: left, right: right)
      return "merged, expected \(expected)"
    } catch {
      return expected == "schema-mismatch:\(error.reason.rawValue)"
        ? nil : "\(error.reason.rawValue): \(error)"
    }
  }

  /// Describes how the outputs differ from those of the row.
  private func difference(_ ends: MergedEnds, _ row: JSON) throws -> String? {
    for (name, found) in [("left_out", ends.left), ("right_out", ends.right)] {
      let expected = try row.elements(name).map { try Instruction.list(vector: $0) }
      guard found.count == expected.count else { return "\(name): \(found.count) changesets" }
      for (changeset, instructions) in zip(found, expected) {
        if let difference = ChangesetVectors.difference(changeset.instructions, instructions) {
          return "\(name): \(difference)"
        }
      }
    }
    return nil
  }

  /// Checks a row that shows a defect of the reference: our merge must lead to the same state from both ends.
  /// `outputs` describes how our outputs differ from the reference's; nil if they do not.
  private func convergence(
    of ends: MergedEnds,
    _ left: [Changeset],
    _ right: [Changeset],
    _ base: ObjectModel,
    outputs: String?,
    _ report: inout VectorReport
  ) -> String? {
    do {
      let first = try state(base, left, ends.right)
      let second = try state(base, right, ends.left)
      guard let difference = second.difference(from: first) else {
        report.note("the reference's outputs are defective; ours converge")
        return nil
      }
      if outputs == nil, !ends.doubts.isEmpty {
        report.note("the ends differ like the reference's; the merge says where, for the server to repair it")
        return nil
      }
      return "the two ends differ: \(difference); and the outputs: \(outputs ?? "")"
    } catch {
      if outputs == nil {
        report.note("cannot be applied like the reference: an instruction that the rules for applying refuse")
        return nil
      }
      return "\(error); and the outputs: \(outputs ?? "")"
    }
  }

  private func stateDifference(
    _ ends: MergedEnds,
    _ left: [Changeset],
    _ right: [Changeset],
    _ base: ObjectModel,
    _ expected: ModelState
  ) throws -> String? {
    if let difference = try state(base, left, ends.right).difference(from: expected) {
      return "left first: \(difference)"
    }
    return try state(base, right, ends.left).difference(from: expected).map { "right first: \($0)" }
  }

  private func state(
    _ base: ObjectModel,
    _ first: [Changeset],
    _ second: [Changeset]
  ) throws(ModelError) -> ModelState {
    var model = base
    for changeset in first + second { try model.apply(changeset.instructions) }
    return model.state
  }
}

/// Both sides after the merge.
private struct MergedEnds {
  var left: [Changeset]
  var right: [Changeset]
  let doubts: [MergeDoubt]

  init(left: [Changeset], right: [Changeset]) throws(MergeError) {
    self.left = left
    self.right = right
    doubts = try Merge.transform(local: &self.left, incoming: &self.right).doubts
  }
}

extension Changeset {
  /// Creates a changeset from `timestamp`, `file` and `instructions`.
  init(vector json: JSON) throws(VectorError) {
    self.init(
      stamp: OriginStamp(timestamp: try json.number("timestamp"), fileIdent: try json.number("file")),
      instructions: try Instruction.list(vector: json.field("instructions"))
    )
  }

  static func list(vector json: JSON) throws(VectorError) -> [Changeset] {
    try json.asElements().map { element throws(VectorError) in try Changeset(vector: element) }
  }
}
