// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncWire

/// Integrates the entries of an UPLOAD into the server's state and history (protocol §7.7). Must be used inside a
/// write.
final class UploadIntegration {
  /// The result of an upload, for the log.
  struct Summary {
    var integratedCount = 0
    var rejected: [WriteRefusal] = []
    /// Writes to asymmetric classes that were not stored.
    var refusedIngest: Rejection?
    /// Why an entry was not integrated; nil if all were. Those before it are.
    var failure: (any Error)?
    /// The entries after one that may have changed permissions, which are not integrated yet; nil if there are none.
    var rest: UploadMessage?
  }

  /// A property whose value on the client may differ from the server's.
  private typealias Doubtful = (object: ObjectReference, field: String)

  private let writer: StreamWriter
  private var store: ServerStore { writer.store }
  private var schema: AppSchema { writer.schema }
  private let integrator: Integrator
  private let limits: UploadLimits
  /// Called when an upload has added classes or properties, to look up its user's permissions again.
  var onSchemaGrowth: ((LiveFile) throws -> Void)?

  init(writer: StreamWriter, limits: UploadLimits) {
    self.writer = writer
    self.limits = limits
    integrator = Integrator(schema: writer.schema, history: writer.history)
  }

  /// Integrates the entries that are new, and advances the cursors of the file. Stops after an entry that changes
  /// custom user data, because its author may be allowed less or more from then on.
  ///
  /// - Parameter isClientReset: whether the session is that of a fresh copy, or of the file that takes the copy's
  ///   place. The versions of the copy are not those of the file: if the copy's acknowledgements advanced the cursor
  ///   of integrated versions, changes that are recovered later would count as integrated.
  /// - Parameter customDataClass: the class whose objects are custom user data, if there is one.
  /// - Returns: What was integrated: all entries, or those before the first that cannot be accepted or that must be
  ///   judged by other permissions.
  func integrate(
    _ upload: UploadMessage,
    of file: LiveFile,
    isClientReset: Bool,
    customDataClass: String?
  ) throws -> Summary {
    var summary = Summary()
    for (index, entry) in upload.entries.enumerated() {
      // The client may have sent it over another connection after this one presented its cursors.
      guard entry.clientVersion > file.record.uploadClientVersion else { continue }
      let outcome: Integrator.Outcome
      do {
        outcome = try integrateWholly(entry, of: file)
      } catch {
        summary.failure = error
        return summary
      }
      summary.rejected += outcome.rejected
      summary.integratedCount += 1
      let refused = outcome.rejected.filter { schema.isAsymmetric($0.object.table) }
      if !refused.isEmpty {
        summary.refusedIngest = .joined(
          summary.refusedIngest,
          Rejection(refused, clientVersion: entry.clientVersion)
        )
      }
      let rest = upload.entries[(index + 1)...]
      guard !rest.isEmpty, outcome.touched.contains(where: { $0.object.table == customDataClass }) else {
        continue
      }
      summary.rest = upload
      summary.rest?.entries = Array(rest)
      // What the client acknowledges with the upload may still be needed to merge the rest.
      try file.window?.save()
      return summary
    }
    let hasVersions = !isClientReset || !upload.entries.isEmpty || file.record.uploadClientVersion > 0
    try acknowledge(upload, of: file, countsVersions: hasVersions)
    try file.window?.save()
    return summary
  }

  /// Advances the cursors, and forgets what the client has acknowledged.
  private func acknowledge(_ upload: UploadMessage, of file: LiveFile, countsVersions: Bool) throws {
    let progress = upload.progress
    if countsVersions, progress.clientVersion > file.record.uploadClientVersion {
      file.record.uploadClientVersion = progress.clientVersion
    }
    if progress.serverVersion > file.record.uploadServerVersion {
      file.record.uploadServerVersion = progress.serverVersion
    }
    let acknowledged = min(progress.serverVersion, upload.lockedServerVersion)
    guard acknowledged > file.record.trimmedVersion else { return }
    try store.trimStream(file: file.ident, through: acknowledged)
    file.window?.trim(through: acknowledged)
    file.record.trimmedVersion = acknowledged
    file.record.lastSeen = writer.clock.seconds
  }

  /// Integrates an entry, or leaves no trace of it, because the client may send it again.
  private func integrateWholly(_ entry: UploadEntry, of file: LiveFile) throws -> Integrator.Outcome {
    let record = file.record
    file.window?.begin()
    do {
      return try store.database.nested { try integrate(entry, of: file) }
    } catch {
      file.record = record
      let window = file.window
      file.window = nil
      window?.takeBack()
      try window?.save()
      throw error
    }
  }

  private func integrate(_ entry: UploadEntry, of file: LiveFile) throws -> Integrator.Outcome {
    guard entry.originFileIdent == 0 else {
      throw SessionFailure.bug(
        .badOriginFileIdent,
        "Bad origin file ident \(entry.originFileIdent) (UPLOAD): clients may upload only their own changes"
      )
    }
    guard entry.serverVersion >= file.record.trimmedVersion else {
      throw SessionFailure.reset(
        .badServerVersion,
        "Bad server version (UPLOAD): a change is based on version \(entry.serverVersion), but the client has "
          + "declared that it needs nothing before \(file.record.trimmedVersion)"
      )
    }
    let changes = try acceptSchema(of: try limits.decode(entry.changeset), file)
    if !changes.isEmpty { file.record.hasWritten = true }
    let stamp = OriginStamp(timestamp: entry.timestamp, fileIdent: file.ident)
    try writer.extend(file)
    let merged = try merge(changes, base: entry.serverVersion, stamp: stamp, file)
    let judge = WriteJudge(schema: schema, view: file.view, permissions: file.permissions)
    let allowed = try FieldPermissions(
      store: store,
      permissions: file.permissions,
      disclosure: judge.disclosure
    ).apply(to: merged.instructions)
    var outcome = try integrator.integrate(allowed.instructions, stamp: stamp, judge: judge)
    outcome.rejected += allowed.refused
    let discarded = try discardedWrites(
      changes,
      merged.instructions,
      base: entry.serverVersion,
      file,
      judge.disclosure
    )
    outcome.rejected += discarded.compactMap(\.refusal)
    file.record.uploadClientVersion = entry.clientVersion
    file.record.placedVersion = writer.history.version
    let doubts = merged.doubts.filter { doubt in
      schema.canDiffer(doubt) && file.view.fields(of: doubt.object.table).includes(doubt.field)
    }
    // The author of a refused object must not learn what the object has in place of the default.
    let integrated = Set(outcome.touched.map(\.object))
    let withheld = allowed.withheld.filter { integrated.contains($0.object) }
    let doubtful = doubts.map { (object: $0.object, field: $0.field) } + allowed.withheldFromSeen
    let corrections =
      file.view.visible(try replacements(doubtful, in: file.view))
      + (try replacements(withheld, in: file.view))
      + discarded.filter { $0.refusal == nil && !$0.isErasedByStream }.map { .eraseObject($0.object) }
    let known = discarded.filter(\.isErasedByStream).map(\.object)
    try correct(outcome, corrections, erasedByStream: Set(known), clientVersion: entry.clientVersion, file)
    return outcome
  }

  /// Accepts the declarations of a changeset, and returns the changes of objects.
  private func acceptSchema(of changeset: DecodedChangeset, _ file: LiveFile) throws -> [Instruction] {
    var changes = changeset.instructions
    let declarations = changes.filter { $0.object == nil }
    if !declarations.isEmpty {
      changes.removeAll { $0.object == nil }
      if try schema.accept(declarations) { try onSchemaGrowth?(file) }
    }
    try schema.spellings.check(changes, names: changeset.internedStrings)
    return changes
  }

  private func merge(_ changes: [Instruction], base: UInt64, stamp: OriginStamp, _ file: LiveFile) throws
    -> MergeWindow.Merged
  {
    guard base < file.record.streamHead, !changes.isEmpty else {
      return MergeWindow.Merged(instructions: changes)
    }
    let window = window(of: file)
    _ = try window.load(file.record, .unlimited())
    file.window = window
    do {
      return try window.merge(changes, base: base, stamp: stamp)
    } catch let error as MergeError {
      throw SessionFailure.reset(.badChangeset, "Bad changeset (UPLOAD): \(error)")
    }
  }

  /// Returns the merge window of a file. A new one is empty until it is loaded.
  func window(of file: LiveFile) -> MergeWindow {
    file.window ?? MergeWindow(of: file.record, store: store, schema: schema, history: writer.history)
  }

  // MARK: View

  /// A write to an object of which the merge has left no change.
  private struct DiscardedWrite {
    let object: ObjectReference
    /// The refusal to report; nil if the write is discarded as by any merge.
    let refusal: WriteRefusal?
    /// Whether an entry of the stream is known to erase the object, so that the client discards the write by itself when it
    /// merges that entry. The window only assumes it of a bootstrap, which spares an object that the client has never heard
    /// of, and the client may have created one with the same key.
    let isErasedByStream: Bool
  }

  /// Returns the writes that the merge has discarded, and of which the client must hear (protocol §8.2).
  private func discardedWrites(
    _ changes: [Instruction],
    _ merged: [Instruction],
    base: UInt64,
    _ file: LiveFile,
    _ disclosure: Disclosure
  ) throws -> [DiscardedWrite] {
    guard merged.count < changes.count else { return [] }
    let kept = Set(merged.compactMap(\.object))
    let groups = ObjectGroups(changes)
    return try groups.objects.compactMap { object in
      guard !kept.contains(object), !schema.isAsymmetric(object.table) else { return nil }
      // A client that deletes an object has what it wants when the object is gone, whoever removed it.
      let isErasure = groups.instructions(of: object).allSatisfy { $0 == .eraseObject(object) }
      return try discardedWrite(to: object, isErasure: isErasure, base: base, file, disclosure)
    }
  }

  /// Returns a write that the merge has discarded; nil if the client need not hear of it.
  ///
  /// A client may have changed the object before it knew that the server had reverted an earlier write to it: each
  /// rejected write gets an error of its own (protocol §8.1). Or the object was still in the client's view when the
  /// client changed it, and an erasure in the stream has destroyed the change. That a deletion destroys concurrent
  /// changes is normal merging (protocol §7.5). But it is reported like the object's departure where objects can be
  /// hidden, because the client must not learn whether the object still exists, and where the object is back in the
  /// view, because the stream does not tell the two apart and the client's user sees an object without the change.
  private func discardedWrite(
    to object: ObjectReference,
    isErasure: Bool,
    base: UInt64,
    _ file: LiveFile,
    _ disclosure: Disclosure
  ) throws -> DiscardedWrite? {
    func refused(_ cause: WriteRefusal.Cause, isErasedByStream: Bool) -> DiscardedWrite {
      let refusal = WriteRefusal(cause, object, role: file.permissions[object.table]?.role)
      return DiscardedWrite(object: object, refusal: refusal, isErasedByStream: isErasedByStream)
    }
    let isIn = try writer.source.isIn(file.view, object)
    let isErased = try file.window?.isSurelyErased(object, after: base) ?? false
    if file.window?.hasReverted(object, after: base) ?? false {
      if isIn { return refused(.followsRefused, isErasedByStream: isErased) }
      return isErasure ? nil : refused(.outsideView, isErasedByStream: isErased)
    }
    if isIn {
      let hasLeft = try file.window?.hasErased(object, after: base) ?? false
      return hasLeft ? refused(.hasReturned, isErasedByStream: isErased) : nil
    }
    let isTold = try disclosure.shows(object) || disclosure[object.table].hidesObjects && !isErasure
    if isTold { return refused(.outsideView, isErasedByStream: false) }
    let isAssumed = file.window?.isTakenByBootstrap(object, after: base) ?? false
    return isAssumed ? DiscardedWrite(object: object, refusal: nil, isErasedByStream: false) : nil
  }

  /// Returns instructions that set properties to their current values, where the client can see the object.
  private func replacements(_ doubtful: [Doubtful], in view: View) throws -> [Instruction] {
    var instructions: [Instruction] = []
    for (object, field) in doubtful where try writer.source.isIn(view, object) {
      instructions += try store.objects.replacement(of: field, in: object)
    }
    return instructions
  }

  /// Places the corrections for the author: objects that its write moved out of its view or into it, properties that
  /// may differ on the client after the merge (`replacements`), and objects whose changes are reverted.
  ///
  /// - Parameter erasedByStream: objects whose rejected changes the client will discard by itself, when it merges them
  ///   with an entry that it does not know yet. Reverting these objects would only take later changes.
  private func correct(
    _ outcome: Integrator.Outcome,
    _ replacements: [Instruction],
    erasedByStream: Set<ObjectReference>,
    clientVersion: UInt64,
    _ file: LiveFile
  ) throws {
    var corrections: [Instruction] = []
    for touched in outcome.touched where !schema.isAsymmetric(touched.object.table) {
      let layout = schema.layout(of: touched.object.table)
      let wasIn = file.view.contains(touched.before, className: touched.object.table, layout: layout)
      let isIn = file.view.contains(touched.after, className: touched.object.table, layout: layout)
      if isIn, !wasIn, touched.before != nil {
        corrections += file.view.visible(try store.wholeState(of: touched.object))
      } else if !isIn, touched.after != nil {
        corrections.append(.eraseObject(touched.object))
      }
    }
    corrections += replacements
    if !corrections.isEmpty { try writer.place(corrections, in: file) }
    let taken = outcome.rejected.filter { !schema.isAsymmetric($0.object.table) }
    guard !taken.isEmpty else { return }
    var reverting: [Instruction] = []
    for rejected in taken where !erasedByStream.contains(rejected.object) {
      reverting += try file.view.currentState(of: rejected.object, in: writer.store, writer.schema)
    }
    try writer.place(reverting, in: file, rejection: Rejection(taken, clientVersion: clientVersion))
  }
}

extension AppSchema {
  /// Whether a doubt is justified by the property's type, which the merge does not know: only sets of mixed and of
  /// decimals can hold one number in several forms.
  fileprivate func canDiffer(_ doubt: MergeDoubt) -> Bool {
    guard doubt.reason == .numberInSet else { return true }
    let type = schema[doubt.object.table]?.property(named: doubt.field)?.type
    return type == .mixed || type == .decimal
  }
}
