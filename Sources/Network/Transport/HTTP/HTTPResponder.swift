// SPDX-License-Identifier: Apache-2.0

/// Takes the response to one request. Confined to the loop's thread.
///
/// Exactly one response must be given; a responder that is dropped without one answers 500, so that no client
/// waits for ever.
public final class HTTPResponder {
  private var connection: HTTPServerConnection?
  private let loop: EventLoop

  init(_ connection: HTTPServerConnection, loop: EventLoop) {
    self.connection = connection
    self.loop = loop
  }

  deinit {
    guard let connection else { return }
    connection.respond(HTTPResponse(status: 500, text: "The server has no answer to this request.\n"))
  }

  /// Called once if the client goes before it has a response.
  public var onCancel: (() -> Void)? {
    get { connection?.onGone }
    set { connection?.onGone = newValue }
  }

  /// Whether the client has gone, so that nobody waits for a response.
  public var isCancelled: Bool { connection?.isOpen != true }

  /// Sends the response. Only the first call counts; after the client has gone, nothing happens.
  public func respond(_ response: HTTPResponse) {
    loop.assertInLoop()
    let connection = connection
    self.connection = nil
    connection?.respond(response)
  }
}
