// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncStore

/// Applies merged changesets to the server's state and appends them to the history (Docs/Architecture.md). Must be
/// used inside a write.
package final class Integrator {
  /// The result of integrating a changeset.
  package struct Outcome {
    var touched: [TouchedObject] = []
    var rejected: [WriteRefusal] = []
    /// The changes of objects of which other clients receive another form than the author's.
    fileprivate var told: [ObjectReference: [Instruction]] = [:]
  }

  private struct Rejected: Error {}

  private let schema: AppSchema
  private let history: CommittedHistory
  private var store: ServerStore { history.store }

  package init(schema: AppSchema, history: CommittedHistory) {
    self.schema = schema
    self.history = history
  }

  /// Applies the allowed changes, object by object, and appends them to the history.
  ///
  /// - Parameter judge: decides which changes are allowed; nil to allow everything.
  /// - Throws: `SessionFailure` for instructions that could not fit any state, such as one on an unknown class.
  package func integrate(_ instructions: [Instruction], stamp: OriginStamp, judge: WriteJudge?) throws
    -> Outcome
  {
    let groups = ObjectGroups(instructions)
    let unfit = UnfitContents(schema: schema.schema).refusals(in: instructions)
    let isPlain = unfit.isEmpty && !instructions.contains(where: NullErasures.isOne)
    var outcome =
      try (isPlain ? applyAtOnce(groups, judge) : nil)
      ?? store.database.nested { try applyOneByOne(groups, unfit, judge) }
    outcome.touched.removeAll { $0.before == nil && $0.after == nil }
    // No client ever receives asymmetric objects.
    let told = outcome.touched.filter {
      !schema.isAsymmetric($0.object.table) && outcome.told[$0.object]?.isEmpty != true
    }
    guard !told.isEmpty else { return outcome }
    try history.append(
      stamp: stamp,
      instructions: changes(of: told.map(\.object), groups, outcome),
      objects: told,
      schema: schema
    )
    return outcome
  }

  /// Returns the changes of some objects in the form in which other clients receive them.
  private func changes(of objects: [ObjectReference], _ groups: ObjectGroups, _ outcome: Outcome)
    -> [Instruction]
  {
    guard outcome.told.isEmpty else {
      return objects.flatMap { outcome.told[$0] ?? groups.instructions(of: $0) }
    }
    let isAll = objects.count == groups.objects.count
    return isAll ? groups.instructions : groups.instructions(of: Set(objects))
  }

  /// Handles the common case in which everything is allowed; otherwise applies nothing and returns nil.
  private func applyAtOnce(_ groups: ObjectGroups, _ judge: WriteJudge?) throws -> Outcome? {
    let before = try groups.objects.map(schema.image(of:))
    guard !zip(groups.objects, before).contains(where: { isHidden($0, $1, judge) }) else { return nil }
    var outcome = Outcome()
    do {
      try store.database.nested {
        try store.objects.apply(groups.instructions)
        for (object, before) in zip(groups.objects, before) {
          let touched = TouchedObject(object: object, before: before, after: try schema.image(of: object))
          let refusal = judge?.refusal(of: touched) { groups.instructions(of: object) }
          guard refusal == nil, !schema.corruptsPoint(touched) else {
            throw Rejected()
          }
          outcome.touched.append(touched)
        }
      }
    } catch is Rejected {
      return nil
    } catch is ApplyError {
      return nil
    }
    return outcome
  }

  /// - Parameter unfit: refusals of what clients fail on, by object. These objects are left as they are.
  private func applyOneByOne(
    _ groups: ObjectGroups,
    _ unfit: [ObjectReference: WriteRefusal],
    _ judge: WriteJudge?
  ) throws -> Outcome {
    var outcome = Outcome()
    for object in groups.objects {
      if let refusal = unfit[object] {
        outcome.rejected.append(refusal)
        continue
      }
      let image = try schema.image(of: object)
      let isHidden = isHidden(object, image, judge)
      let before = isHidden ? nil : image
      let instructions = groups.instructions(of: object)
      do {
        let touched = try store.database.nested {
          // The write is judged as if the object did not exist, so that the answer does not reveal that it does.
          if isHidden { try store.objects.apply([.eraseObject(object)]) }
          let told = try NullErasures.apply(instructions, to: store.objects)
          let touched = TouchedObject(object: object, before: before, after: try schema.image(of: object))
          let refusal = judge?.refusal(of: touched) { instructions } ?? corruption(of: touched)
          if let refusal = refusal ?? (isHidden ? judge?.refusal(ofTaking: object) : nil) {
            outcome.rejected.append(refusal)
            throw Rejected()
          }
          // Asymmetric objects are written once. Later writes are discarded without an error.
          if isHidden { throw Rejected() }
          if told != instructions { outcome.told[object] = told }
          return touched
        }
        outcome.touched.append(touched)
      } catch is Rejected {
        continue
      } catch let error as ApplyError {
        try failIfHopeless(error)
        let untouched = TouchedObject(object: object, before: before, after: before)
        let refusal = judge?.refusal(of: untouched) { instructions } ?? refusal(of: object, error)
        outcome.rejected.append(refusal)
      }
    }
    return outcome
  }

  private func corruption(of touched: TouchedObject) -> WriteRefusal? {
    schema.corruptsPoint(touched) ? WriteRefusal(.corruptsPoint, touched.object) : nil
  }

  /// Whether there is an object that the writer may not know of. No writer may know of asymmetric objects.
  private func isHidden(_ object: ObjectReference, _ image: ObjectImage?, _ judge: WriteJudge?) -> Bool {
    guard let image else { return false }
    return schema.isAsymmetric(object.table) || judge?.disclosure.hides(object, image) ?? false
  }

  /// Returns the refusal of a write that the user is allowed to make, but that does not fit its object. The reason
  /// does not reveal whether there is an object that the user does not see.
  private func refusal(of object: ObjectReference, _ error: ApplyError) -> WriteRefusal {
    let isMissing = error.reason == .missingObject
    return WriteRefusal(isMissing ? .outsideView : .notApplicable(error.reason.description), object)
  }

  /// Fails the session if instructions contradict the schema, which is a program error. Instructions that merely do
  /// not fit the state can occur when client and server see different states, and are reverted.
  private func failIfHopeless(_ error: ApplyError) throws {
    switch error.reason {
    case .missingObject, .missingPlace, .indexOutOfRange, .wrongPriorSize: break
    default: throw SessionFailure.badChangeset(error.description)
    }
  }
}
