// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// What a change is about to change.
enum ChangeTarget: Equatable {
  /// A property of an object.
  case property
  /// The objects of the realm: one is created or deleted.
  case objects
  case collection(CollectionKind)

  /// The text of the exception for a change outside of a write transaction.
  var refusal: String {
    switch self {
    case .property:
      "Attempting to modify object outside of a write transaction - call beginWriteTransaction on an RLMRealm "
        + "instance first."
    case .objects:
      "Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on an "
        + "RLMRealm instance first."
    case .collection(let kind): "Cannot modify managed \(kind.exceptionName) outside of a write transaction."
    }
  }
}

extension CollectionKind {
  /// The name in the texts of exceptions.
  fileprivate var exceptionName: String {
    switch self {
    case .list: "RLMArray"
    case .set: "RLMSet"
    case .dictionary: "RLMDictionary"
    }
  }
}

extension StatusError {
  /// The text of the exception that the Realm Swift SDK raises in this case; nil for an error that no change of the
  /// program could have prevented, or that the SDK throws.
  func exception(_ target: ChangeTarget = .property) -> String? {
    switch status {
    case .FLX_STATUS_NOT_IN_WRITE_TRANSACTION: target.refusal
    case .FLX_STATUS_OBJECT_INVALIDATED: "Object has been deleted or invalidated."
    case .FLX_STATUS_WRONG_THREAD: "Realm accessed from incorrect thread. \(message)"
    // Keys of dictionaries and the lengths of values come from data rather than from the program.
    case .FLX_STATUS_INVALID_ARGUMENT where target == .collection(.dictionary): nil
    case .FLX_STATUS_DUPLICATE_PRIMARY_KEY, .FLX_STATUS_INVALID_ARGUMENT, .FLX_STATUS_TYPE_MISMATCH,
      .FLX_STATUS_NULL_NOT_ALLOWED, .FLX_STATUS_INDEX_OUT_OF_BOUNDS:
      message
    default: nil
    }
  }
}
