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

  /// The view of a file's set of subscriptions for a user who may see something else.
  func view(for permissions: Permissions, of file: LiveFile) throws -> View {
    try schema.view(body: file.record.query, permissions: text(permissions, file))
  }

  /// Places the difference to a new view as ordinary changes; the stream then follows it. The stream must be extended to
  /// now.
  func placeDifference(of view: View, in file: LiveFile) throws {
    var difference = ViewDifference(from: HeldView(file.view), to: view)
    let limit = limits.changesetByteCount
    let meter = TurnMeter.unlimited()
    while let (instructions, isAtEnd) = try difference.next(from: store.objects, byteCount: limit, meter) {
      if !instructions.isEmpty { try place(instructions, in: file) }
      if isAtEnd { break }
    }
    file.follow(view)
  }
}
