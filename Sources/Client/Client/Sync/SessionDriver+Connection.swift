// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncScheduling
import FlexSyncWire

// The connection, as controlled by the protocol's state machine.

extension SessionDriver {
  func connect() {
    enterConnection(.FLX_CONNECTION_CONNECTING)
    host.connect { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .connected(let channel): opened(channel.value)
      case .refused(let status):
        connectFailure = nil
        drive(.upgradeRefused(status: status))
      case .failed(let error) where error.status == .FLX_STATUS_INVALID_SESSION:
        // The app has logged the user out: there is no point in retrying.
        fail(SyncError(status: error.status, isFatal: true, message: "\(error.message); log in again"))
      case .failed(let error):
        connectFailure = error
        drive(.connectFailed(message: error.message))
      }
    }
  }

  private func opened(_ channel: any MessageChannel) {
    self.channel = channel
    channel.onMessage = { [weak self] in self?.drive(.received(Array($0))) }
    channel.onClose = { [weak self] in self?.closed($0) }
    channel.onWritable = { [weak self] in self?.fetchUploads() }
    connectFailure = nil
    connectionNumber += 1
    enterConnection(.FLX_CONNECTION_CONNECTED)
    drive(.opened(subprotocol: channel.subprotocol))
  }

  private func closed(_ closure: ChannelClosure) {
    channel = nil
    if let code = closure.code {
      drive(.closed(code: code, reason: closure.reason))
    } else {
      drive(.lost(message: closure.error?.description ?? "the server closed the connection"))
    }
  }

  /// Ends the connection or the attempt to connect, without a close frame.
  func dropConnection() {
    host.abandonConnecting()
    let channel = channel
    self.channel = nil
    channel?.onMessage = nil
    channel?.onClose = nil
    channel?.onWritable = nil
    // Queued messages, such as UNBIND, are still sent.
    channel?.drop()
    enterConnection(.FLX_CONNECTION_DISCONNECTED)
  }

  func send(_ message: ClientMessage) {
    Log.write(.FLX_LOG_TRACE, "sync of '\(host.name)': sending \(message.name)")
    channel?.send(message.encode())
  }

  /// Notifies the server that the session ends, if the protocol allows it at this point.
  func sendUnbind() {
    for effect in machine?.handle(.removeSession(session), now: loop.monotonicMilliseconds) ?? [] {
      if case .send(let message) = effect { send(message) }
    }
  }

  func renew(location: Bool) {
    host.renew(location: location) { [weak self] result in
      switch result {
      case .success: self?.drive(.refreshed)
      case .failure(let error):
        self?.connectFailure = error
        // In these cases the app has logged the user out.
        let isFinal =
          error.status == .FLX_STATUS_INVALID_SESSION || error.status == .FLX_STATUS_USER_LOGGED_OUT
        self?.drive(.refreshFailed(isFinal: isFinal, message: error.message))
      }
    }
  }

  private func enterConnection(_ new: flx_connection_state_t) {
    guard connectionState != new else { return }
    let change = ConnectionChange(old: connectionState, new: new)
    connectionState = new
    host.publish(new)
    connectionObservers.notify { _ in (change, false) }
  }

  func log(_ message: LogMessage) {
    guard let text = message.message else { return }
    Log.write(message.level.logLevel, "sync: the server says: \(text)")
  }
}

extension ClientMessage {
  /// The first word of the message, for the log.
  fileprivate var name: String {
    switch self {
    case .bind: "bind"
    case .ident: "ident"
    case .query: "query"
    case .upload: "upload"
    case .mark: "mark"
    case .unbind: "unbind"
    case .ping: "ping"
    case .error: "json_error"
    case .testCommand: "test_command"
    }
  }
}

extension LogMessage.Level {
  fileprivate var logLevel: flx_log_level_t {
    switch self {
    case .trace: .FLX_LOG_TRACE
    case .debug: .FLX_LOG_DEBUG
    case .detail: .FLX_LOG_DETAIL
    case .info: .FLX_LOG_INFO
    case .warn: .FLX_LOG_WARN
    case .error: .FLX_LOG_ERROR
    case .fatal: .FLX_LOG_FATAL
    }
  }
}
