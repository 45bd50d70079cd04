// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A user of the C interface.
final class UserHandle: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_user_release(pointer) }

  var id: String { String(flx_user_id(pointer)) }
  var provider: String { String(flx_user_provider(pointer)) }
  var accessToken: String? { String(takingOver: flx_user_access_token_copy(pointer)) }
  var refreshToken: String? { String(takingOver: flx_user_refresh_token_copy(pointer)) }
  var profile: String? { String(takingOver: flx_user_profile_copy(pointer)) }
  var customData: String? { String(takingOver: flx_user_custom_data_copy(pointer)) }

  var state: User.State {
    switch flx_user_get_state(pointer) {
    case .FLX_USER_LOGGED_IN: .loggedIn
    case .FLX_USER_REMOVED: .removed
    default: .loggedOut
    }
  }

  var identities: [UserIdentity] {
    var count = 0
    let array = flx_user_identities_copy(pointer, &count)
    defer { flx_free(array) }
    return UnsafeBufferPointer(start: array, count: count).map {
      UserIdentity(providerType: String($0.provider), identifier: String($0.id))
    }
  }

  func link(_ credentials: Credentials, _ completion: @escaping UserCompletion) {
    let box = CallbackBox<UserCompletion>.retained(app.state.observers.telling(completion))
    credentials.withFlex { flx_user_link(pointer, $0, callUserCompletion, box, freeCallbackBox) }
  }

  var app: AppHandle { AppHandle(sharing: flx_user_app(pointer)) }

  var sessions: [SyncSession] {
    (0..<flx_user_session_count(pointer)).compactMap { index in
      flx_user_get_session_at(pointer, index).map { SyncSession(SessionHandle(takingOver: $0)) }
    }
  }

  // MARK: Operations that yield nothing

  enum Operation {
    case logOut
    case remove
    case delete
    case refreshCustomData
  }

  func perform(_ operation: Operation) async throws {
    try await awaitCompletion(isolation: nil) { start(operation, $0) }
    noteEnd(of: operation)
  }

  func perform(_ operation: Operation, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
    let noteEnd: @Sendable ((any Error)?) -> Void = { [self] error in
      if error == nil { self.noteEnd(of: operation) }
      completion(error)
    }
    startOperation(noteEnd) { start(operation, $0) }
  }

  private func noteEnd(of operation: Operation) {
    let observers = app.state.observers
    switch operation {
    case .logOut, .remove, .delete: observers.noteLogin(ofUser: id)
    case .refreshCustomData: observers.noteChange(ofUser: id)
    }
  }

  private func start(_ operation: Operation, _ box: UnsafeMutableRawPointer) {
    switch operation {
    case .logOut: flx_user_log_out(pointer, callCompletion, box, freeCallbackBox)
    case .remove: flx_user_remove(pointer, callCompletion, box, freeCallbackBox)
    case .delete: flx_user_delete(pointer, callCompletion, box, freeCallbackBox)
    case .refreshCustomData: flx_user_refresh_custom_data(pointer, callCompletion, box, freeCallbackBox)
    }
  }
}
