// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSync
import FlexSyncAppTestSupport
import FlexSyncOpenCombine
import FlexSyncTestSupport
import OpenCombine
import OpenCombineDispatch
import Testing

/// Futures and publishers of functions, API keys and MongoDB collections, against recorded answers.
@Suite(.timeLimit(.minutes(15))) struct ServicePublisherTests {
  private let folder: FlexSyncAppTestSupport.TemporaryFolder
  private let log = Log()

  init() throws { folder = try FlexSyncAppTestSupport.TemporaryFolder() }

  private func logIn(_ server: RecordedServer) async throws -> User {
    let configuration = AppConfiguration(baseURL: server.url, storageDirectory: folder.file("device"))
    return try await App(id: "tasks", configuration: configuration).login(credentials: .anonymous)
  }

  private func collection(_ server: RecordedServer) async throws -> MongoCollection {
    try await logIn(server).mongoClient("atlas").database(named: "d").collection(withName: "c")
  }

  @Test func aFunctionIsAFuture() async throws {
    let server = try RecordedServer { _ in .json(200, #"{"$numberInt":"15"}"#) }
    let functions = try await logIn(server).functions
    let log = log
    let future: Future<AnyBSON, any Error> = functions.sum(1, 2)
    let subscription = future.sink {
      log.add("\($0)")
    } receiveValue: {
      log.add("\($0 == .int32(15))")
    }
    try await eventually { log.all == ["true", "finished"] }
    withExtendedLifetime(subscription) {}
  }

  @Test func requestsToCollectionsAreFutures() async throws {
    let server = try RecordedServer { request in
      request.body.contains(#""name":"count""#) ? .json(200, #"{"$numberInt":"3"}"#) : .json(404, "{}")
    }
    let collection = try await collection(server)
    let log = log
    let count: Future<Int, any Error> = collection.count(filter: [:])
    let insertion: Future<AnyBSON, any Error> = collection.insertOne(["a": 1])
    let subscriptions = [
      count.sink { _ in
      } receiveValue: {
        log.add("\($0)")
      },
      insertion.sink { completion in
        if case .failure = completion { log.add("refused") }
      } receiveValue: { _ in
      },
    ]
    try await eventually { Set(log.all) == ["3", "refused"] }
    withExtendedLifetime(subscriptions) {}
  }

  @Test func requestsForAPIKeysAreFutures() async throws {
    let server = try RecordedServer { _ in .json(404, "{}") }
    let keys = try await logIn(server).apiKeysAuth
    let log = log
    let future: Future<[UserAPIKey], any Error> = keys.fetchAPIKeys()
    let subscription = future.sink { completion in
      if case .failure = completion { log.add("refused") }
    } receiveValue: { _ in
    }
    try await eventually { log.all == ["refused"] }
    withExtendedLifetime(subscription) {}
  }

  @Test func aCollectionPublishesItsChanges() async throws {
    let server = try RecordedServer { _ in .stream }
    let collection = try await collection(server)
    let (log, queue) = (log, DispatchQueue(label: "watching"))
    let subscriptions = [
      collection.watch().onOpen { log.add("open") }.subscribe(on: queue)
        .sink {
          log.add("\($0)")
        } receiveValue: { change in
          dispatchPrecondition(condition: .onQueue(queue))
          log.add("\(change.documentValue?["a"] == .int32(4))")
        }
    ]
    try await eventually { log.all == ["open"] }
    server.send("data: {\"a\":{\"$numberInt\":\"4\"}}\n\n")
    try await eventually { log.all == ["open", "true"] }
    for subscription in subscriptions { subscription.cancel() }
    server.send("data: {\"a\":{\"$numberInt\":\"4\"}}\n\n")
    queue.sync {}
    #expect(log.all == ["open", "true"])
  }

  @Test func changesArePublishedOnAnyScheduler() async throws {
    let server = try RecordedServer { _ in .stream }
    let collection = try await collection(server)
    let log = log
    let subscription = collection.watch(matchFilter: ["fullDocument.a": 1])
      .onOpen { log.add("open") }.subscribe(on: ImmediateScheduler.shared)
      .sink { completion in
        if case .failure = completion { log.add("failed") }
      } receiveValue: { _ in
        log.add("change")
      }
    try await eventually { log.all == ["open"] }
    server.send("data: {\"a\":true}\n\n")
    try await eventually { log.all == ["open", "change"] }
    withExtendedLifetime(subscription) {}
  }
}
