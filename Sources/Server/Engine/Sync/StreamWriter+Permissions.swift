// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncRules
import FlexSyncStore

// Changes of what a user may see (protocol §4.9).

extension StreamWriter {
  /// Whether permissions make the view of a file another one.
  func changesView(_ permissions: Permissions, of file: LiveFile) -> Bool {
    !UTF8Order.areEqual(text(permissions, file), file.record.permissions)
  }

  private func text(_ permissions: Permissions, _ file: LiveFile) -> String {
    ViewPermissions(permissions, of: file.view.queriedClassNames).text
  }

  /// Has the stream of a file follow what its user may see now.
  ///
  /// What has happened since the stream was extended last is placed only as far as the user may see it now, and what was
  /// placed before and not delivered is cut down to that. Objects that came meanwhile, and that the user may not see, are
  /// not erased either: the erasures would tell their keys.
  ///
  /// - Parameter deliveredVersion: up to which version of its stream the client has been sent everything.
  /// - Parameter isBootstrapAllowed: whether the client takes bootstraps that it has not asked for. Others get the same
  ///   as ordinary changes, each of which needs no other.
  /// - Returns: the bootstrap that was placed, if any.
  func follow(
    _ permissions: Permissions,
    in file: LiveFile,
    deliveredVersion: UInt64,
    isBootstrapAllowed: Bool
  ) throws
    -> PlacedBootstrap?
  {
    file.permissions = permissions
    if let bootstrap = file.unfinished {
      file.unfinished = nil
      return try replace(
        bootstrap,
        in: file,
        deliveredVersion: deliveredVersion,
        isBootstrapAllowed: isBootstrapAllowed
      )
    }
    let text = text(permissions, file)
    guard !UTF8Order.areEqual(text, file.record.permissions) else { return nil }
    let view = try schema.view(body: file.record.query, permissions: text)
    views.remove(file)
    var change = ViewChange(from: file.view, to: view, schema: schema)
    change.passed = try passedViews(of: file)
    let unheard = try planner.unheardObjects(of: change, after: file.record.placedVersion)
    var begun = BegunViews()
    if !unheard.isEmpty { begun.note([file.view.identity], at: file.record.placedVersion) }
    try planner.plan(change, after: file.record.placedVersion) { try place($0, in: file) }
    file.record.placedVersion = history.version
    file.record.passedPermissions = PassedPermissions.noText
    try conceal(after: deliveredVersion, from: view, in: file)
    if isBootstrapAllowed {
      return try placeBootstrap(
        of: view,
        queryVersion: file.record.queryVersion,
        in: file,
        begun: begun,
        unheardObjects: unheard
      )
    }
    try placeDifference(of: view, in: file, unheardObjects: unheard)
    return nil
  }

  /// Places the difference to a new view as ordinary changes; the stream then follows it. The stream must be extended to
  /// now.
  ///
  /// - Parameters:
  ///   - held: what the client has; nil for the view that the stream follows.
  ///   - unheardObjects: those of these views that the client has never heard of.
  func placeDifference(
    of view: View,
    in file: LiveFile,
    held: HeldView? = nil,
    unheardObjects: Set<ObjectReference> = []
  ) throws {
    var difference = ViewDifference(from: held ?? HeldView(file.view), to: view, sparing: unheardObjects)
    let limit = limits.changesetByteCount
    let meter = TurnMeter.unlimited()
    while let (instructions, isAtEnd) = try difference.next(from: store.objects, byteCount: limit, meter) {
      if !instructions.isEmpty { try place(instructions, in: file) }
      if isAtEnd { break }
    }
    file.follow(view)
  }
}
