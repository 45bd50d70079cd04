// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// An app of the C interface.
final class AppHandle: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer
  /// What the program has set for the app.
  let state: AppState

  init(opening id: String, _ settings: AppSettings) throws {
    let arena = TextArena()
    var config = flx_app_config_t()
    config.struct_size = MemoryLayout<flx_app_config_t>.size
    config.app_id = arena.text(id)
    config.base_url = arena.text(settings.baseURL.withServerScheme)
    config.storage_directory = arena.text(settings.storageDirectory.path)
    config.trusted_certificates_file = arena.text(settings.trustedCertificatesFile?.path ?? "")
    config.request_timeout_ms = UInt64(settings.requestTimeout)
    pointer = try withExtendedLifetime(arena) { try makeHandle { flx_app_create(&config, &$0, $1) } }
    let known = AppState.of(pointer)
    state = known ?? AppState.of(pointer, settings, AppValues.of(id, settings))
    if let transport = settings.transport { setTransport(transport) }
    if let times = settings.syncTimeouts { setTimeouts(times) }
    if known == nil { apply(state.values.withLock { $0 }) }
  }

  /// Sets what the program has set before, possibly for an app that has ended since.
  private func apply(_ values: AppValues.Values) {
    if let handler = values.errorHandler { setErrorHandler(handler) }
    if let headers = values.requestHeaders { setRequestHeaders(headers) }
    if let name = values.authorizationHeader { setAuthorizationHeader(name) }
    if !values.userAgent.isEmpty { setUserAgent(values.userAgent) }
    if let times = values.timeouts { setTimeouts(times) }
  }

  /// Shares an app that the library lends.
  init(sharing app: OpaquePointer) {
    pointer = flx_app_retain(app)
    let baseURL = String(takingOver: flx_app_base_url_copy(app))
    state = AppState.of(pointer, AppConfiguration(baseURL: baseURL).settings, AppValues())
  }

  deinit { flx_app_release(pointer) }

  var id: String { String(flx_app_id(pointer)) }

  var currentUser: UserHandle? { flx_app_get_current_user(pointer).map(UserHandle.init(takingOver:)) }

  var users: [UserHandle] {
    (0..<flx_app_user_count(pointer)).compactMap { index in
      flx_app_get_user_at(pointer, index).map(UserHandle.init(takingOver:))
    }
  }

  func switchTo(_ user: UserHandle) {
    trapOnFailure { flx_app_switch_user(pointer, user.pointer, $0) }
    state.observers.noteAppChange()
  }

  func logIn(_ credentials: Credentials, _ completion: @escaping UserCompletion) {
    let box = CallbackBox<UserCompletion>.retained(state.observers.telling(completion))
    credentials.withFlex { flx_app_log_in(pointer, $0, callUserCompletion, box, freeCallbackBox) }
  }

  func setErrorHandler(_ handler: SyncManager.ErrorHandler?) {
    guard let handler else { return flx_app_set_error_handler(pointer, nil, nil, nil) }
    let box = CallbackBox<SyncManager.ErrorHandler>.retained(handler)
    flx_app_set_error_handler(pointer, callErrorHandler, box, freeCallbackBox)
  }

  // MARK: Requests

  var baseURL: String { String(takingOver: flx_app_base_url_copy(pointer)) ?? "" }

  func startMoving(to baseURL: String, _ box: UnsafeMutableRawPointer) {
    baseURL.withFlexString { flx_app_update_base_url(pointer, $0, callCompletion, box, freeCallbackBox) }
  }

  func setTimeouts(_ times: SyncTimes) {
    var timeouts = flx_sync_timeouts_t(
      struct_size: MemoryLayout<flx_sync_timeouts_t>.size,
      connect_ms: UInt64(times.connect),
      connection_linger_ms: UInt64(times.linger),
      ping_period_ms: UInt64(times.pingPeriod),
      pong_timeout_ms: UInt64(times.pongTimeout),
      fast_reconnect_ms: UInt64(times.fastReconnect)
    )
    mustSucceed { flx_app_set_sync_timeouts(pointer, &timeouts, $0) }
  }

  func setRequestHeaders(_ headers: [String: String]) {
    let arena = TextArena()
    let headers = arena.headers(headers)
    withExtendedLifetime(arena) {
      headers.withUnsafeBufferPointer { headers in
        trapOnFailure { flx_app_set_request_headers(pointer, headers.baseAddress, headers.count, $0) }
      }
    }
  }

  func setAuthorizationHeader(_ name: String) {
    name.withFlexString { name in
      trapOnFailure { flx_app_set_authorization_header(pointer, name, $0) }
    }
  }

  func setUserAgent(_ text: String) {
    text.withFlexString { text in mustSucceed { flx_app_set_user_agent(pointer, text, $0) } }
  }
}

/// The settings that the program has made for an app, which the library does not return.
final class AppValues: Sendable {
  struct Values: Sendable {
    var errorHandler: SyncManager.ErrorHandler?
    var requestHeaders: [String: String]?
    var authorizationHeader: String?
    var userAgent = ""
    var timeouts: SyncTimes?
  }

  private struct Key: Hashable, Sendable {
    let id: String
    let baseURL: String
    let folder: String
  }

  private static let all = Mutex<[Key: AppValues]>([:])

  private let values = Mutex(Values())

  /// Returns the values of an app that the program opens. They outlive the app: a program may set them for one to which it
  /// keeps no reference.
  static func of(_ id: String, _ settings: AppSettings) -> AppValues {
    let key = Key(id: id, baseURL: settings.baseURL, folder: settings.storageDirectory.path)
    let values = all.withLock { all in
      let values = all[key] ?? AppValues()
      all[key] = values
      return values
    }
    if let times = settings.syncTimeouts { values.withLock { $0.timeouts = times } }
    return values
  }

  func withLock<Result: Sendable>(_ body: (inout Values) -> Result) -> Result {
    values.withLock { body(&$0) }
  }
}

/// The state that the handles of an app share.
final class AppState: Sendable {
  let settings: AppSettings
  let values: AppValues
  let observers = AccountObservers()

  private init(_ settings: AppSettings, _ values: AppValues) {
    self.settings = settings
    self.values = values
  }

  private struct WeakState: Sendable {
    weak let state: AppState?
  }

  private static let states = Mutex<[UInt: WeakState]>([:])

  /// Returns the state of an app; nil if it has no handles.
  static func of(_ app: OpaquePointer) -> AppState? {
    states.withLock { $0[UInt(bitPattern: app)]?.state }
  }

  /// Returns the state of an app; a new one, with these settings and values, if there is none.
  static func of(_ app: OpaquePointer, _ settings: AppSettings, _ values: AppValues) -> AppState {
    let key = UInt(bitPattern: app)
    return states.withLock { states in
      if let known = states[key]?.state { return known }
      states = states.filter { $0.value.state != nil }
      let state = AppState(settings, values)
      states[key] = WeakState(state: state)
      return state
    }
  }
}

private let callErrorHandler: flx_sync_error_callback_t = { box, session, error in
  let session = SyncSession(sharing: session)
  CallbackBox<SyncManager.ErrorHandler>.callback(in: box)(SyncError(error.pointee, session), session)
}

/// A Swift closure that receives a user who has logged in.
typealias UserCompletion = @Sendable (Result<UserHandle, any Error>) -> Void

extension AccountObservers {
  /// Returns a completion that first tells the observers of the app and of the user.
  func telling(_ completion: @escaping UserCompletion) -> UserCompletion {
    { [self] result in
      if case .success(let user) = result { noteLogin(ofUser: user.id) }
      completion(result)
    }
  }
}

/// The C callback for a boxed `UserCompletion`.
let callUserCompletion: flx_user_completion_t = { userdata, user, error in
  let result: Result<UserHandle, any Error>
  if let user {
    result = .success(UserHandle(takingOver: user))
  } else {
    guard let error else { fatalError("a login ended with neither a user nor an error") }
    result = .failure(StatusError(error.pointee).publicError)
  }
  CallbackBox<UserCompletion>.callback(in: userdata)(result)
}
