// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerSupport
import FlexSyncWire

/// The reason why the changes of an object are reverted.
struct WriteRefusal: Hashable {
  enum Cause: Hashable {
    case outsideView
    /// No role of the class applies to the user.
    case noRole
    case writeFilter
    case insertFilter
    case deleteFilter
    /// These fields may not be written.
    case fields([String])
    /// The instructions do not fit the object, for the given reason.
    case notApplicable(String)
    /// An earlier write to the object was refused, and the object reverted, before this write arrived.
    case followsRefused
    /// The object had left the view when this write arrived, or had been deleted, and has come back since.
    case hasReturned
    /// A queryable point would get coordinates that are not on the globe.
    case corruptsPoint
  }

  let object: ObjectReference
  let cause: Cause
  /// The role that applied, if one did.
  var role: String?

  init(_ cause: Cause, _ object: ObjectReference, role: String? = nil) {
    self.object = object
    self.cause = cause
    self.role = role
  }

  /// Returns the refusal of a dictionary key that Realm's clients fail on.
  static func unfitKey(_ key: String, in object: ObjectReference) -> WriteRefusal {
    let reason = "\"\(DictionaryKey.text(key))\" cannot be a dictionary key; \(DictionaryKey.rule)"
    return WriteRefusal(.notApplicable(reason), object)
  }

  /// Returns the refusal of a string that Realm's clients cannot read.
  static func malformedString(in path: PropertyPath) -> WriteRefusal {
    let reason = "field \"\(path.field)\" cannot hold a string that is not UTF-8"
    return WriteRefusal(.notApplicable(reason), path.object)
  }

  /// The reason in full, for the server's log and records only.
  var recordText: String {
    let role = role ?? ""
    let reason =
      switch cause {
      case .outsideView: "not allowed; \(WriteRefusal.outsideViewText)"
      case .noRole: "was denied; no role of the table applies to the user"
      case .writeFilter: "was denied by write filter in role \"\(role)\""
      case .insertFilter: "was denied by insert filter in role \"\(role)\""
      case .deleteFilter: "was denied by delete filter in role \"\(role)\""
      case .fields(let names): "was denied; \(WriteRefusal.text(names)) not writable in role \"\(role)\""
      case .notApplicable(let reason): "cannot be applied: \(reason)"
      case .followsRefused: "was discarded; \(WriteRefusal.followsRefusedText)"
      case .hasReturned: "was discarded; \(WriteRefusal.hasReturnedText)"
      case .corruptsPoint: WriteRefusal.corruptsPointText
      }
    return "write to \"\(object.key.shortened.bareText)\" in table \"\(object.table)\" \(reason)"
  }

  fileprivate static let outsideViewText = "object is outside of the current query view"

  fileprivate static let followsRefusedText =
    "an earlier write to the object was refused, and the object reverted"

  fileprivate static let hasReturnedText =
    "the object was removed from the query view after the version that was changed, and has come back since"

  fileprivate static let corruptsPointText = "will corrupt geojson data"

  fileprivate static func text(_ fields: [String]) -> String {
    let list = fields.map { "\"\($0)\"" }.joined(separator: ", ")
    return fields.count == 1 ? "field \(list) is" : "fields \(list) are"
  }
}

extension RejectedUpdate {
  /// Creates the answer to a refused write, with as much of the reason as the user may learn.
  ///
  /// Permissions are not explained, because filters can examine hidden fields, and the names of roles are the
  /// operator's. Users know what they wrote, and what is in the objects that they see.
  init(_ refusal: WriteRefusal) {
    let object = refusal.object
    let (reason, more): (String?, String?) =
      switch refusal.cause {
      case .outsideView, .noRole: (WriteRefusal.outsideViewText, WriteRefusal.outsideViewText)
      case .fields(let names): (nil, "\(WriteRefusal.text(names)) not writable")
      case .notApplicable(let reason): (nil, "it cannot be applied: \(reason)")
      case .followsRefused: (nil, WriteRefusal.followsRefusedText)
      case .hasReturned: (nil, WriteRefusal.hasReturnedText)
      case .writeFilter, .insertFilter, .deleteFilter, .corruptsPoint: (nil, nil)
      }
    func text(_ key: String, _ more: String?) -> String {
      let subject = "write to \(key) in table \"\(object.table)\""
      if refusal.cause == .corruptsPoint { return "\(subject) \(WriteRefusal.corruptsPointText)" }
      return ShortenedText.cut("\(subject) not allowed" + (more.map { "; \($0)" } ?? ""))
    }
    self.init(
      className: object.table,
      key: object.key,
      reason: text("\(object.key.shortened)", reason),
      detail: text("\"\(object.key.shortened.bareText)\"", more)
    )
  }
}

extension PrimaryKey {
  /// The key for a text about its object. Of a long string, which the client sees in full beside the text, only the
  /// beginning: each of its characters can take six bytes of an error.
  var shortened: PrimaryKey {
    guard case .string(let text) = self else { return self }
    return .string(ShortenedText.cut(text, to: 256))
  }
}
