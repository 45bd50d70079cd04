// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncStore
import FlexSyncTransport
import Synchronization

/// An app and the loop that it lives on: one with a thread of its own, or the server's (Docs/Server.md, "Threads"). Confined
/// to the server's loop.
///
/// Everything passes between the two threads as closures that are posted to a loop, in order; no lock is held while either
/// does something. A sync connection is handed over whole, so that its messages do not pass between threads at all.
final class AppThread {
  /// Ends what the app's store is doing.
  let interruption: Interruption
  private let network: EventLoop
  private let loop: EventLoop
  private let endpoint: LoopBound<AppEndpoint>
  private let queue: BoundedQueue
  /// The requests that the app has not answered, by their number.
  private var responders: [Int: HTTPResponder] = [:]
  private var requestCount = 0

  /// - Parameters:
  ///   - loop: the app's, which is not running unless it is the server's.
  ///   - network: the server's.
  ///   - maximumWaitingCount: the most requests and new connections that wait for the app's thread. What is more is
  ///     refused, so that an app that is busy for long does not use up the connections of the others.
  init(
    _ endpoint: AppEndpoint,
    loop: EventLoop,
    network: EventLoop,
    interruption: Interruption,
    maximumWaitingCount: Int
  ) {
    self.endpoint = LoopBound(endpoint, loop: loop)
    self.loop = loop
    self.network = network
    self.interruption = interruption
    queue = BoundedQueue(capacity: maximumWaitingCount)
  }

  /// The app, for those who share its loop.
  var served: ServedApp { endpoint.value.served }

  private var isShared: Bool { loop === network }

  /// Does something on the app's loop, after everything that was asked for before; at once if the server shares it.
  func run(_ body: @escaping @Sendable (AppEndpoint) -> Void) {
    if isShared { return body(endpoint.value) }
    loop.execute { [endpoint] in body(endpoint.value) }
  }

  // MARK: Requests

  /// Lets the app answer a request.
  ///
  /// - Parameters:
  ///   - host: where the client thinks the server is.
  ///   - address: what the client's attempts are counted by.
  func handle(_ request: HTTPRequest, host: String, address: String, _ responder: HTTPResponder) {
    guard let place = queue.enter() else { return responder.respond(APIError.crowdedApp.response.http) }
    requestCount += 1
    let number = requestCount
    responders[number] = responder
    let waiting = WaitingRequest(request, place)
    responder.onCancel = { [weak self] in self?.cancel(number, waiting) }
    let answer = answer(number)
    run { endpoint in
      guard let request = waiting.take() else { return }
      endpoint.handle(number, APIRequest(request, host: host, address: address), answer: answer)
    }
  }

  /// Takes the answer on the app's loop to where the client is.
  private func answer(_ number: Int) -> @Sendable (HTTPResponse) -> Void {
    let home = LoopBound(self, loop: network)
    return { [network, isShared] response in
      if isShared { return home.value.respond(number, response) }
      network.execute { home.value.respond(number, response) }
    }
  }

  private func respond(_ number: Int, _ response: HTTPResponse) {
    responders.removeValue(forKey: number)?.respond(response)
  }

  private func cancel(_ number: Int, _ waiting: WaitingRequest) {
    responders[number] = nil
    if waiting.take() == nil { run { $0.cancel(number) } }
  }

  /// Hands a new sync connection over to the app.
  func upgrade(_ upgrade: WebSocketUpgrade) {
    guard let place = queue.enter() else { return upgrade.refuse(APIError.crowdedApp.response.http) }
    upgrade.move(to: loop) { [endpoint] upgrade in
      place.leave()
      endpoint.value.upgrade(upgrade)
    }
  }

  // MARK: Life

  /// Starts the thread.
  ///
  /// - Throws: `TransportError` if the system cannot create one.
  func start() throws {
    if !isShared { try loop.start() }
  }

  /// Tells the thread to end when it has done what it was asked for. Nothing comes from it after `join`.
  func end() {
    if !isShared { loop.stop() }
  }

  /// Waits until the thread has ended, or ends a loop that was not started.
  func join() {
    guard !isShared else { return }
    if !loop.isInLoop { loop.join() } else if !loop.isFinished { loop.run() }
    responders = [:]
  }
}

/// A request that waits for another thread. One that is cancelled before takes no place there any more. Safe from any thread.
private final class WaitingRequest: Sendable {
  private struct Content {
    let request: HTTPRequest
    let place: BoundedQueue.Place
  }

  private let content: Mutex<Content?>

  init(_ request: HTTPRequest, _ place: BoundedQueue.Place) {
    content = Mutex(Content(request: request, place: place))
  }

  /// - Returns: The request for the one who comes first.
  func take() -> HTTPRequest? {
    let taken = content.withLock { content in
      defer { content = nil }
      return content
    }
    taken?.place.leave()
    return taken?.request
  }
}

/// Counts what waits for another thread. Safe from any thread.
final class BoundedQueue: Sendable {
  /// A place in the queue, until it is left or dropped.
  final class Place: Sendable {
    private let queue: BoundedQueue
    private let isTaken = Atomic(true)

    fileprivate init(_ queue: BoundedQueue) { self.queue = queue }

    deinit { leave() }

    func leave() {
      if isTaken.exchange(false, ordering: .relaxed) { queue.count.subtract(1, ordering: .relaxed) }
    }
  }

  private let capacity: Int
  private let count = Atomic(0)

  init(capacity: Int) { self.capacity = capacity }

  /// Takes a place; nil if there is none.
  func enter() -> Place? {
    guard count.add(1, ordering: .relaxed).oldValue < capacity else {
      count.subtract(1, ordering: .relaxed)
      return nil
    }
    return Place(self)
  }
}
