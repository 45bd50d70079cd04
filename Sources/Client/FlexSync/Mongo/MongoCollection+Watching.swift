// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Receives the events of a `ChangeStream`, on the queue that was passed to `MongoCollection.watch`.
public protocol ChangeEventDelegate: AnyObject {
  /// The server has accepted the request: later changes are reported.
  func changeStreamDidOpen(_ changeStream: ChangeStream)
  /// The stream has ended: with nil after `ChangeStream.close`, or with the error that ended it.
  func changeStreamDidClose(with error: (any Error)?)
  /// The server reports an error.
  func changeStreamDidReceive(error: any Error)
  /// A document has changed: a change event of MongoDB.
  func changeStreamDidReceive(changeEvent: AnyBSON?)
}

/// A stream of the changes of a collection, until it is closed or released.
public final class ChangeStream: Sendable {
  private struct Observation: @unchecked Sendable {
    // A token may be used on any thread, one at a time.
    let token: NotificationToken
  }

  private let observation = Mutex<Observation?>(nil)
  private let report: @Sendable (ChangeStream?, WatchEvent) -> Void

  init(
    _ collection: MongoCollection,
    _ command: MongoCommand,
    _ report: @escaping @Sendable (ChangeStream?, WatchEvent) -> Void
  ) {
    self.report = report
    let client = collection.database.client
    let token = client.user.handle.watch(command.arguments, service: client.name) { [weak self] event in
      report(self, event)
    }
    observation.withLock { $0 = Observation(token: token) }
  }

  /// Ends the stream. Its delegate is notified.
  public func close() {
    let ended = observation.withLock { observation in
      defer { observation = nil }
      return observation
    }
    guard let ended else { return }
    ended.token.invalidate()
    report(self, .closed(nil))
  }
}

extension MongoCollection {
  /// Watches the collection for changes.
  ///
  /// - Parameters:
  ///   - delegate: receives the changes; it is not kept alive.
  ///   - queue: the queue on which the delegate is called.
  /// - Returns: the stream, which ends when it is closed or released.
  public func watch(delegate: any ChangeEventDelegate, queue: DispatchQueue = .main) -> ChangeStream {
    watch(MongoCommand("watch", self), delegate, queue)
  }

  /// Watches the collection for changes that satisfy a filter on change events, such as
  /// `["fullDocument.name": "Ada"]`.
  public func watch(
    matchFilter: Document,
    delegate: any ChangeEventDelegate,
    queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch(watching(matchFilter), delegate, queue)
  }

  /// Watches documents of the collection for changes.
  public func watch(
    filterIds: [ObjectId],
    delegate: any ChangeEventDelegate,
    queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch(watching(filterIds), delegate, queue)
  }

  private func watch(
    _ command: MongoCommand,
    _ delegate: any ChangeEventDelegate,
    _ queue: DispatchQueue
  ) -> ChangeStream {
    let receiver = WeakDelegate(delegate)
    return ChangeStream(self, command) { stream, event in
      queue.async { receiver.receive(event, stream) }
    }
  }

  private func watching(_ filter: Document) -> MongoCommand {
    var command = MongoCommand("watch", self)
    command.set("filter", filter)
    return command
  }

  private func watching(_ ids: [ObjectId]) -> MongoCommand {
    var command = MongoCommand("watch", self)
    command.set("ids", .array(ids.map { .objectId($0) }))
    return command
  }
}

/// A delegate, which is used on its queue only.
private final class WeakDelegate: @unchecked Sendable {
  private weak var delegate: (any ChangeEventDelegate)?

  init(_ delegate: any ChangeEventDelegate) { self.delegate = delegate }

  func receive(_ event: WatchEvent, _ stream: ChangeStream?) {
    switch event {
    case .opened: if let stream { delegate?.changeStreamDidOpen(stream) }
    case .changed(let text):
      do {
        delegate?.changeStreamDidReceive(changeEvent: try ExtendedJSON.value(text))
      } catch {
        delegate?.changeStreamDidReceive(error: error)
      }
    case .failed(let error): delegate?.changeStreamDidReceive(error: error)
    case .closed(let error): delegate?.changeStreamDidClose(with: error)
    }
  }
}

// MARK: - Asynchronous sequences

extension MongoCollection {
  /// The changes of the collection, until the loop over them ends.
  public var changeEvents: AsyncThrowingStream<AnyBSON, any Error> {
    events(MongoCommand("watch", self), nil)
  }

  /// The changes of the collection, until the loop over them ends.
  ///
  /// - Parameter onOpen: called on a background thread when the server has accepted the request.
  public func changeEvents(onOpen: @escaping @Sendable () -> Void) -> AsyncThrowingStream<AnyBSON, any Error>
  {
    events(MongoCommand("watch", self), onOpen)
  }

  /// The changes of documents of the collection, until the loop over them ends.
  public func changeEvents(
    filterIds: [ObjectId],
    onOpen: (@Sendable () -> Void)? = nil
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events(watching(filterIds), onOpen)
  }

  /// The changes of the collection that satisfy a filter on change events, until the loop over them ends.
  public func changeEvents(
    matchFilter: Document,
    onOpen: (@Sendable () -> Void)? = nil
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events(watching(matchFilter), onOpen)
  }

  private func events(
    _ command: MongoCommand,
    _ onOpen: (@Sendable () -> Void)?
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    AsyncThrowingStream { continuation in
      let stream = ChangeStream(self, command) { _, event in
        switch event {
        case .opened: onOpen?()
        case .changed(let text):
          do {
            continuation.yield(try ExtendedJSON.value(text) ?? .null)
          } catch {
            continuation.finish(throwing: error)
          }
        case .failed(let error): continuation.finish(throwing: error)
        case .closed(let error): continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in stream.close() }
    }
  }
}
