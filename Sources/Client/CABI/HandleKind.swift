// SPDX-License-Identifier: Apache-2.0

/// The type of object that a handle stands for.
enum HandleKind: UInt32 {
  case app = 1
  case user
  case realm
  case object
  case list
  case set
  case dictionary
  case query
  case results
  case token
  case subscriptionSet
  case subscriptionUpdate
  case session
  case rejectedWrites
  case reference

  /// The type's name in the header, and the name of the arguments that take it.
  var words: (type: StaticString, argument: StaticString) {
    switch self {
    case .app: ("flx_app_t", "app")
    case .user: ("flx_user_t", "user")
    case .realm: ("flx_realm_t", "realm")
    case .object: ("flx_object_t", "object")
    case .list: ("flx_list_t", "list")
    case .set: ("flx_set_t", "set")
    case .dictionary: ("flx_dictionary_t", "dictionary")
    case .query: ("flx_query_t", "query")
    case .results: ("flx_results_t", "results")
    case .token: ("flx_notification_token_t", "token")
    case .subscriptionSet: ("flx_subscription_set_t", "set")
    case .subscriptionUpdate: ("flx_subscription_update_t", "update")
    case .session: ("flx_session_t", "session")
    case .rejectedWrites: ("flx_rejected_writes_t", "writes")
    case .reference: ("flx_reference_t", "reference")
    }
  }
}

/// A class whose objects C holds handles to.
protocol HandleTarget: AnyObject {
  static var handleKind: HandleKind { get }
  /// The slot for the object's only handle; nil if C gets a different handle each time.
  var handleSlot: HandleSlot? { get }
  /// Runs the part of a C function that uses the object.
  func use<Result>(_ body: () throws -> Result) throws -> Result
}

extension HandleTarget {
  var handleSlot: HandleSlot? { nil }
  @inline(__always) func use<Result>(_ body: () throws -> Result) throws -> Result { try body() }
}

/// A class whose objects are confined to one thread at a time.
protocol ConfinedTarget: HandleTarget {
  var claim: ThreadClaim { get }
}

extension ConfinedTarget {
  /// - Throws: `CoreError` WRONG_THREAD if another thread is using the realm.
  @inline(__always) func use<Result>(_ body: () throws -> Result) throws -> Result { try claim.run(body) }
}

extension ManagedList: ConfinedTarget { var claim: ThreadClaim { object.claim } }
extension ManagedSet: ConfinedTarget { var claim: ThreadClaim { state.object.claim } }
extension ManagedDictionary: ConfinedTarget { var claim: ThreadClaim { state.object.claim } }
extension Results: ConfinedTarget { var claim: ThreadClaim { realm.claim } }
extension SubscriptionUpdate: ConfinedTarget { var claim: ThreadClaim { realm.claim } }

extension App: HandleTarget { static var handleKind: HandleKind { .app } }
extension User: HandleTarget { static var handleKind: HandleKind { .user } }
extension Realm: ConfinedTarget { static var handleKind: HandleKind { .realm } }
extension ManagedObject: ConfinedTarget { static var handleKind: HandleKind { .object } }
extension ManagedList: HandleTarget { static var handleKind: HandleKind { .list } }
extension ManagedSet: HandleTarget { static var handleKind: HandleKind { .set } }
extension ManagedDictionary: HandleTarget { static var handleKind: HandleKind { .dictionary } }
extension PreparedQuery: HandleTarget { static var handleKind: HandleKind { .query } }
extension Results: HandleTarget { static var handleKind: HandleKind { .results } }
extension NotificationToken: HandleTarget { static var handleKind: HandleKind { .token } }
extension SubscriptionSet: ConfinedTarget { static var handleKind: HandleKind { .subscriptionSet } }
extension SubscriptionUpdate: HandleTarget { static var handleKind: HandleKind { .subscriptionUpdate } }
extension SyncSession: HandleTarget { static var handleKind: HandleKind { .session } }
extension RejectedWriteList: HandleTarget { static var handleKind: HandleKind { .rejectedWrites } }
extension Reference: HandleTarget { static var handleKind: HandleKind { .reference } }
