// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncStore
import FlexSyncTransport
import Synchronization

/// An app and the loop it runs on: either one with its own thread, or the server's (Docs/Server.md, "Threads").
/// Confined to the server's loop.
///
/// The two threads communicate only through closures posted to a loop, in order; no lock is held while either of them
/// works. A sync connection is handed over entirely, so its messages never pass between threads.
final class AppThread {
  /// Interrupts statements of the app's store.
  let interruption: Interruption
  private let network: EventLoop
  private let loop: EventLoop
  private let endpoint: LoopBound<AppEndpoint>
  private let queue: BoundedQueue
  /// The responders of requests that the app has not answered yet, by request number.
  private var responders: [Int: HTTPResponder] = [:]
  private var requestCount = 0

  /// - Parameters:
  ///   - loop: The app's loop, which must not be running unless it is the server's.
  ///   - network: The server's loop.
  ///   - maximumWaitingCount: The maximum number of requests and new connections waiting for the app's thread.
  ///     Further ones are refused, so an app that is busy for long does not use up the connections of the others.
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

  /// The app, for callers that share its loop.
  var served: ServedApp { endpoint.value.served }

  private var isShared: Bool { loop === network }

  /// Runs a closure on the app's loop, after everything submitted before; immediately if the server shares the loop.
  func run(_ body: @escaping @Sendable (AppEndpoint) -> Void) {
    if isShared { return body(endpoint.value) }
    loop.execute { [endpoint] in body(endpoint.value) }
  }

  // MARK: Requests

  /// Passes a request to the app.
  ///
  /// - Parameters:
  ///   - host: The server's host as the client sees it.
  ///   - address: The address under which the client's attempts are counted.
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

  /// Returns a closure that carries the answer from the app's loop back to the server's.
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

  // MARK: Lifecycle

  /// Starts the thread.
  ///
  /// - Throws: `TransportError` if the system cannot create one.
  func start() throws {
    if !isShared { try loop.start() }
  }

  /// Asks the thread to end when it has finished the work submitted so far. It sends nothing after `join`.
  func end() {
    if !isShared { loop.stop() }
  }

  /// Waits until the thread has ended, or finishes a loop that was never started.
  func join() {
    guard !isShared else { return }
    if !loop.isInLoop { loop.join() } else if !loop.isFinished { loop.run() }
    responders = [:]
  }
}

/// A request waiting for another thread. If it is cancelled first, it gives up its place in the queue. Can be used
/// from any thread.
private final class WaitingRequest: Sendable {
  private struct Content {
    let request: HTTPRequest
    let place: BoundedQueue.Place
  }

  private let content: Mutex<Content?>

  init(_ request: HTTPRequest, _ place: BoundedQueue.Place) {
    content = Mutex(Content(request: request, place: place))
  }

  /// Takes the request and leaves the queue.
  ///
  /// - Returns: The request for the first caller; nil for any later one.
  func take() -> HTTPRequest? {
    let taken = content.withLock { content in
      defer { content = nil }
      return content
    }
    taken?.place.leave()
    return taken?.request
  }
}

/// Counts what is waiting for another thread. Can be used from any thread.
final class BoundedQueue: Sendable {
  /// A place in the queue, held until `leave` or deinitialization.
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

  /// Takes a place; returns nil if the queue is full.
  func enter() -> Place? {
    guard count.add(1, ordering: .relaxed).oldValue < capacity else {
      count.subtract(1, ordering: .relaxed)
      return nil
    }
    return Place(self)
  }
}
