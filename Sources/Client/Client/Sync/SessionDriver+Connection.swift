// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncScheduling
import FlexSyncWire

// The connection, as controlled by the protocol's state machine.

extension SessionDriver {
  func connect() {
    enterConnection(.connecting)
    host.connect { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .connected(let channel): opened(channel.value)
      case .refused(let status):
        connectFailure = nil
        drive(.upgradeRefused(status: status))
      case .failed(let error) where error.status == .invalidSession:
        // The app has logged the user out: there is no point in retrying.
        fail(SyncError(status: error.status, isFatal: true, message: "\(error.message.clause); log in again"))
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
    enterConnection(.connected)
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
    enterConnection(.disconnected)
  }

  func send(_ message: ClientMessage) {
    Log.write(.trace, "sync of '\(host.name)': sending \(message.name)")
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
          error.status == .invalidSession || error.status == .userLoggedOut
        self?.drive(.refreshFailed(isFinal: isFinal, message: error.message))
      }
    }
  }

  private func enterConnection(_ new: ConnectionState) {
    guard connectionState != new else { return }
    let change = ConnectionChange(old: connectionState, new: new)
    connectionState = new
    Log.write(.debug, "sync of '\(host.name)': \(new)")
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
  fileprivate var logLevel: LogLevel {
    switch self {
    case .trace: .trace
    case .debug: .debug
    case .detail: .detail
    case .info: .info
    case .warn: .warn
    case .error: .error
    case .fatal: .fatal
    }
  }
}
