// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Why the changes of an object are taken back, in words for the developer (features rows 131, 132).
struct WriteRefusal: Hashable {
  let reason: String
  /// The role that applied, if one did.
  var role: String?

  static func outsideView(_ object: ObjectReference, role: String? = nil) -> WriteRefusal {
    WriteRefusal(
      reason: "\(write(to: object)) not allowed; object is outside of the current query view",
      role: role
    )
  }

  static func writeFilter(_ object: ObjectReference, role: String) -> WriteRefusal {
    WriteRefusal(reason: "\(write(to: object)) was denied by write filter in role \"\(role)\"", role: role)
  }

  static func insertFilter(_ object: ObjectReference, role: String) -> WriteRefusal {
    WriteRefusal(reason: "\(write(to: object)) was denied by insert filter in role \"\(role)\"", role: role)
  }

  static func deleteFilter(_ object: ObjectReference, role: String) -> WriteRefusal {
    WriteRefusal(reason: "\(write(to: object)) was denied by delete filter in role \"\(role)\"", role: role)
  }

  static func fields(_ names: [String], of object: ObjectReference, role: String) -> WriteRefusal {
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let subject = names.count == 1 ? "field \(list) is" : "fields \(list) are"
    return WriteRefusal(
      reason: "\(write(to: object)) was denied; \(subject) not writable in role \"\(role)\"",
      role: role
    )
  }

  /// Nothing of the class is in any view of the user.
  static func noRole(_ object: ObjectReference) -> WriteRefusal { outsideView(object) }

  static func notApplicable(_ object: ObjectReference, _ reason: String) -> WriteRefusal {
    WriteRefusal(reason: "\(write(to: object)) cannot be applied: \(reason)")
  }

  private static func write(to object: ObjectReference) -> String {
    "write to \"\(object.key.bareText)\" in table \"\(object.table)\""
  }
}
