// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport

/// A stream of the changes of a collection. Confined to the loop.
final class ChangeStream: @unchecked Sendable {
  enum Event: Sendable {
    /// The server has accepted the request.
    case opened
    /// A change, as JSON.
    case changed(String)
    /// The server reports an error.
    case failed(CoreError)
    /// The stream has ended, by itself if there is an error.
    case closed(CoreError?)
  }

  private let app: App
  private let userID: String
  private let call: FunctionCall
  private let slot: CallbackSlot<Event>
  private var reader = EventStreamReader()
  private var pending: PendingOperation?
  private var isClosed = false

  /// Opens a stream, and calls `callback` on the loop until the token is invalidated.
  static func open(
    _ call: FunctionCall,
    of user: User,
    _ callback: @escaping @Sendable (Event) -> Void
  ) -> NotificationToken {
    let stream = ChangeStream(user, call, CallbackSlot<Event>(callback))
    user.app.post { stream.open(mayRefresh: true) }
    return NotificationToken {
      stream.slot.clear()
      stream.app.post(stream.cancel)
    }
  }

  private init(_ user: User, _ call: FunctionCall, _ slot: CallbackSlot<Event>) {
    app = user.app
    userID = user.id
    self.call = call
    self.slot = slot
  }

  @Sendable private func cancel() {
    isClosed = true
    pending?.cancel()
    pending = nil
  }

  /// - Parameter mayRefresh: whether to try again with a new access token if the server refuses this one.
  private func open(mayRefresh: Bool) {
    guard !isClosed else { return }
    guard let token = app.tokens(of: userID)?.access else { return close(.loggedOut(userID)) }
    let request = call.streamRequest(app.configuration, token: token)
    app.service.stream(request) { [self] in
      pending = $0
      if isClosed { cancel() }
    } onEvent: { [self] event in
      switch event {
      case .opened: slot.call(.opened)
      case .data(let bytes): received(bytes)
      case .ended(let result): ended(result, mayRefresh: mayRefresh)
      }
    }
  }

  private func received(_ bytes: [UInt8]) {
    do {
      for event in try reader.feed(bytes) where !isClosed { report(event) }
    } catch {
      cancel()
      close(CoreError(mapping: error))
    }
  }

  private func report(_ event: EventStreamReader.Event) {
    let json = try? JSON.parse(event.data)
    switch event.type {
    case "", "message":
      guard let json, json.objectValue != nil else {
        let text = "server returned malformed event: \(event.data)"
        return slot.call(.failed(CoreError(.badResponse, text)))
      }
      slot.call(.changed(json.serialized))
    case "error":
      var error = CoreError(.serviceError, json?["error"]?.stringValue ?? event.data)
      error.serverCode = json?["error_code"]?.stringValue ?? ""
      slot.call(.failed(error))
    default: break
    }
  }

  private func ended(_ result: Result<Void, CoreError>, mayRefresh: Bool) {
    pending = nil
    guard !isClosed else { return }
    guard case .failure(let error) = result else { return close(nil) }
    guard mayRefresh, error.code == 401 else { return close(error) }
    app.refreshAccessToken(of: userID) { [self] refreshed in
      if case .failure(let error) = refreshed { return close(error) }
      open(mayRefresh: false)
    }
  }

  private func close(_ error: CoreError?) {
    isClosed = true
    slot.call(.closed(error))
  }
}
