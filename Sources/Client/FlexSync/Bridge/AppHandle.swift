// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An app of the C interface.
final class AppHandle: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer

  init(opening id: String, _ configuration: AppConfiguration) throws {
    let arena = TextArena()
    var config = flx_app_config_t()
    config.struct_size = MemoryLayout<flx_app_config_t>.size
    config.app_id = arena.text(id)
    config.base_url = arena.text(configuration.baseURL.withServerScheme)
    config.storage_directory = arena.text(configuration.storageDirectory.path)
    config.trusted_certificates_file = arena.text(configuration.trustedCertificatesFile?.path ?? "")
    config.request_timeout_ms = UInt64(configuration.defaultRequestTimeoutMS ?? 0)
    pointer = try withExtendedLifetime(arena) { try makeHandle { flx_app_create(&config, &$0, $1) } }
  }

  deinit { flx_app_release(pointer) }

  var id: String { String(flx_app_id(pointer)) }

  var currentUser: UserHandle? { flx_app_get_current_user(pointer).map(UserHandle.init(takingOver:)) }

  var users: [UserHandle] {
    (0..<flx_app_user_count(pointer)).compactMap { index in
      flx_app_get_user_at(pointer, index).map(UserHandle.init(takingOver:))
    }
  }

  func switchTo(_ user: UserHandle) { trapOnFailure { flx_app_switch_user(pointer, user.pointer, $0) } }

  func logIn(_ credentials: Credentials, _ completion: @escaping UserCompletion) {
    let box = CallbackBox<UserCompletion>.retained(completion)
    credentials.withFlex { flx_app_log_in(pointer, $0, callUserCompletion, box, freeCallbackBox) }
  }

  func setErrorHandler(_ handler: SyncManager.ErrorHandler?) {
    guard let handler else { return flx_app_set_error_handler(pointer, nil, nil, nil) }
    let box = CallbackBox<SyncManager.ErrorHandler>.retained(handler)
    flx_app_set_error_handler(pointer, callErrorHandler, box, freeCallbackBox)
  }
}

private let callErrorHandler: flx_sync_error_callback_t = { box, session, error in
  let session = SyncSession(sharing: session)
  CallbackBox<SyncManager.ErrorHandler>.callback(in: box)(SyncError(error.pointee, session), session)
}

/// A Swift closure that receives a user who has logged in.
typealias UserCompletion = @Sendable (Result<UserHandle, any Error>) -> Void

/// The C callback for a boxed `UserCompletion`.
let callUserCompletion: flx_user_completion_t = { userdata, user, error in
  let result: Result<UserHandle, any Error>
  if let user {
    result = .success(UserHandle(takingOver: user))
  } else {
    guard let error else { preconditionFailure("a login ended with neither a user nor an error") }
    result = .failure(StatusError(error.pointee).publicError)
  }
  CallbackBox<UserCompletion>.callback(in: userdata)(result)
}
