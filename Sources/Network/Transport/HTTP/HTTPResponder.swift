// SPDX-License-Identifier: Apache-2.0

/// Accepts the response to one request. Confined to the loop's thread.
///
/// Call `respond` exactly once. A responder that is released without a response answers 500, so that no client waits
/// forever.
public final class HTTPResponder {
  private var connection: HTTPServerConnection?
  private let loop: EventLoop

  init(_ connection: HTTPServerConnection, loop: EventLoop) {
    self.connection = connection
    self.loop = loop
  }

  deinit {
    guard let connection else { return }
    connection.respond(HTTPResponse(status: 500, text: "The server did not answer this request.\n"))
  }

  /// Called once if the client disconnects before it has received a response.
  public var onCancel: (() -> Void)? {
    get { connection?.onGone }
    set { connection?.onGone = newValue }
  }

  /// Whether the client has disconnected, so that no response is needed.
  public var isCancelled: Bool { connection?.isOpen != true }

  /// Sends the response. Only the first call has an effect, and none after the client has disconnected.
  public func respond(_ response: HTTPResponse) {
    loop.assertInLoop()
    let connection = connection
    self.connection = nil
    connection?.respond(response)
  }
}
