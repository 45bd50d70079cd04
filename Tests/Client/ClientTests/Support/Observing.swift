// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@testable import FlexSyncCore

/// A token that ends its observation with this object.
final class TestToken {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer?) throws { self.handle = try #require(handle) }

  deinit { flx_notification_token_release(handle) }
}

/// An outcome of a completion.
typealias Outcome = CallbackBox<CoreError?>

extension TestSession {
  func observeConnection(_ box: CallbackBox<flx_connection_state_t>) throws -> TestToken {
    var token: OpaquePointer?
    try attempt {
      flx_session_observe_connection(
        handle,
        { userdata, _, new in CallbackBox<flx_connection_state_t>.of(userdata).add(new) },
        box.retained,
        { CallbackBox<flx_connection_state_t>.free($0) },
        &token,
        $0
      )
    }
    return try TestToken(token)
  }

  func observeProgress(
    _ direction: flx_direction_t,
    onlyOutstanding: Bool,
    _ box: CallbackBox<flx_progress_t>
  ) throws -> TestToken {
    var token: OpaquePointer?
    try attempt {
      flx_session_observe_progress(
        handle,
        direction,
        onlyOutstanding,
        { userdata, progress in CallbackBox<flx_progress_t>.of(userdata).add(progress.pointee) },
        box.retained,
        { CallbackBox<flx_progress_t>.free($0) },
        &token,
        $0
      )
    }
    return try TestToken(token)
  }

  /// Waits in the background.
  func startWaiting(_ direction: flx_direction_t, timeout: UInt64 = 0) -> Outcome {
    let outcome = Outcome()
    flx_session_wait(handle, direction, timeout, outcomeCallback, outcome.retained) { Outcome.free($0) }
    return outcome
  }
}

extension TestSet {
  func startWaiting(timeout: UInt64 = 0) -> Outcome {
    let outcome = Outcome()
    flx_subscription_set_wait(handle, timeout, outcomeCallback, outcome.retained) { Outcome.free($0) }
    return outcome
  }

  func observe(_ box: CallbackBox<flx_subscription_state_t>) throws -> TestToken {
    var token: OpaquePointer?
    try attempt {
      flx_subscription_set_observe(
        handle,
        { userdata, state in CallbackBox<flx_subscription_state_t>.of(userdata).add(state) },
        box.retained,
        { CallbackBox<flx_subscription_state_t>.free($0) },
        &token,
        $0
      )
    }
    return try TestToken(token)
  }
}

private let outcomeCallback: flx_completion_t = { userdata, error in
  Outcome.of(userdata).add(error.map { CoreError($0.pointee) })
}

extension Outcome {
  /// Waits for the outcome: nil is success.
  func get() throws -> CoreError? {
    try wait("the completion comes") { !$0.isEmpty }
    #expect(events.count == 1, "a completion comes once")
    return events[0]
  }
}

/// A sync error as the handler of an app gets it.
struct ReportedError: Sendable, Equatable {
  var status: flx_status_t
  var protocolCode: Int32
  var isFatal: Bool
  var message: String
  /// "class key: reason"
  var writes: [String]
  var recoveryPath = ""
}

extension CApp {
  /// Collects the errors of all sessions.
  func collectErrors() -> CallbackBox<ReportedError> {
    let box = CallbackBox<ReportedError>()
    flx_app_set_error_handler(
      handle,
      { userdata, _, error in
        let writes = UnsafeBufferPointer(
          start: error.pointee.compensating_writes,
          count: error.pointee.compensating_write_count
        )
        CallbackBox<ReportedError>.of(userdata).add(
          ReportedError(
            status: error.pointee.status,
            protocolCode: error.pointee.protocol_code,
            isFatal: error.pointee.is_fatal,
            message: error.pointee.message.text,
            writes: writes.map { "\($0.class_name.text) \(Cell($0.primary_key)): \($0.reason.text)" },
            recoveryPath: error.pointee.recovery_path.text
          )
        )
      },
      box.retained
    ) { CallbackBox<ReportedError>.free($0) }
    return box
  }
}
