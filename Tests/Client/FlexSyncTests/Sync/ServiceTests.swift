// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSync
import FlexSyncTestSupport
import Foundation
import Synchronization
import Testing

/// Functions and MongoDB collections, against recorded answers.
@Suite(.timeLimit(.minutes(15))) struct ServiceTests {
  private let folder: FlexSyncTests.TemporaryFolder

  init() throws { folder = try FlexSyncTests.TemporaryFolder() }

  private func logIn(_ server: RecordedServer, transport: RLMNetworkTransport? = nil) async throws -> User {
    let configuration = AppConfiguration(
      baseURL: server.url,
      transport: transport,
      storageDirectory: folder.file("device")
    )
    return try await App(id: "tasks", configuration: configuration).login(credentials: .anonymous)
  }

  private func collection(_ server: RecordedServer) async throws -> MongoCollection {
    try await logIn(server).mongoClient("atlas").database(named: "d").collection(withName: "c")
  }

  /// The arguments of the calls, without the names of the database and the collection.
  private func calls(_ server: RecordedServer) -> [String] {
    server.requests("POST", "/functions/call").map(\.body).map { body in
      body.replacing(#"{"arguments":[{"database":"d","collection":"c""#, with: "")
        .replacing(#","service":"atlas"}"#, with: "").replacing("}],\"name\":", with: " ")
    }
  }

  // MARK: Functions

  @Test func aFunctionIsCalledInThreeForms() async throws {
    let server = try RecordedServer { _ in .json(200, #"{"$numberInt":"15"}"#) }
    let user = try await logIn(server)
    #expect(try await user.functions.sum(1, "a", [true]) == .int32(15))
    let result: Result<AnyBSON, any Error> = await withCheckedContinuation { continuation in
      user.functions.sum([1, 2]) { (result: Result<AnyBSON, any Error>) in
        continuation.resume(returning: result)
      }
    }
    #expect(try result.get() == .int32(15))
    let value: AnyBSON? = await withCheckedContinuation { continuation in
      user.functions.sum([]) { value, _ in continuation.resume(returning: value) }
    }
    #expect(value == .int32(15))
    #expect(
      server.requests("POST", "/functions/call").map(\.body) == [
        #"{"arguments":[{"$numberLong":"1"},"a",[true]],"name":"sum"}"#,
        #"{"arguments":[{"$numberLong":"1"},{"$numberLong":"2"}],"name":"sum"}"#,
        #"{"arguments":[],"name":"sum"}"#,
      ]
    )
  }

  @Test func theErrorOfAFunctionIsThrown() async throws {
    let server = try RecordedServer { _ in
      .json(400, #"{"error":"TypeError","error_code":"FunctionExecutionError","link":""}"#)
    }
    let user = try await logIn(server)
    let error = await #expect(throws: AppError.self) { try await user.functions.sum() }
    #expect(error?.code == .functionExecutionError)
    let (value, failure) = await withCheckedContinuation { continuation in
      user.functions.sum([]) { continuation.resume(returning: ($0, $1)) }
    }
    #expect(value == nil && failure is AppError)
  }

  // MARK: Collections

  @Test func documentsAreInserted() async throws {
    let server = try RecordedServer { request in
      request.body.contains("insertOne")
        ? .json(200, #"{"insertedId":{"$oid":"65a000000000000000000001"}}"#)
        : .json(200, #"{"insertedIds":[{"$numberInt":"1"},"b"]}"#)
    }
    let collection = try await collection(server)
    #expect(collection.name == "c")
    #expect(try await collection.insertOne(["name": "Ada"]).objectIdValue?.stringValue.last == "1")
    #expect(try await collection.insertMany([["_id": 1], ["_id": "b"]]) == [.int32(1), "b"])
    #expect(
      calls(server) == [
        #","document":{"name":"Ada"} "insertOne""#,
        #","documents":[{"_id":{"$numberLong":"1"}},{"_id":"b"}] "insertMany""#,
      ]
    )
  }

  @Test func documentsAreFoundWithOptions() async throws {
    let server = try RecordedServer { request in
      request.body.contains("findOne") ? .json(200, "null") : .json(200, #"[{"name":"Ada"}]"#)
    }
    let collection = try await collection(server)
    #expect(try await collection.find(filter: ["age": 3]) == [["name": "Ada"]])
    let options = FindOptions(5, ["name": 1], [["b": 1], ["a": -1]])
    _ = try await collection.find(filter: [:], options: options)
    #expect(try await collection.findOneDocument(filter: [:]) == nil)
    #expect(try await collection.aggregate(pipeline: [["$match": ["a": 1]]]).count == 1)
    #expect(
      calls(server) == [
        #","query":{"age":{"$numberLong":"3"}} "find""#,
        #","query":{},"limit":{"$numberLong":"5"},"project":{"name":{"$numberLong":"1"}},"#
          + #""sort":{"b":{"$numberLong":"1"},"a":{"$numberLong":"-1"}} "find""#,
        #","query":{} "findOne""#,
        #","pipeline":[{"$match":{"a":{"$numberLong":"1"}}}] "aggregate""#,
      ]
    )
  }

  @Test func documentsAreCountedAndDeleted() async throws {
    let server = try RecordedServer { request in
      request.body.contains("count")
        ? .json(200, #"{"$numberLong":"7"}"#) : .json(200, #"{"deletedCount":{"$numberInt":"2"}}"#)
    }
    let collection = try await collection(server)
    #expect(try await collection.count(filter: [:]) == 7)
    #expect(try await collection.count(filter: [:], limit: 3) == 7)
    #expect(try await collection.deleteOneDocument(filter: ["a": true]) == 2)
    #expect(try await collection.deleteManyDocuments(filter: [:]) == 2)
    #expect(
      calls(server) == [
        #","query":{} "count""#, #","query":{},"limit":{"$numberLong":"3"} "count""#,
        #","query":{"a":true} "deleteOne""#, #","query":{} "deleteMany""#,
      ]
    )
  }

  @Test func documentsAreUpdated() async throws {
    let server = try RecordedServer { request in
      request.body.contains("findOneAnd")
        ? .json(200, #"{"name":"Ada"}"#)
        : .json(
          200,
          #"{"matchedCount":{"$numberInt":"1"},"modifiedCount":{"$numberInt":"0"},"upsertedId":"x"}"#
        )
    }
    let collection = try await collection(server)
    let update: Document = ["$set": ["a": true]]
    let result = try await collection.updateOneDocument(filter: [:], update: update, upsert: true)
    #expect(result.matchedCount == 1 && result.modifiedCount == 0 && result.documentId == "x")
    #expect(result.objectId == nil)
    _ = try await collection.updateManyDocuments(filter: [:], update: update)
    let options = FindOneAndModifyOptions(["name": true], [["a": true]], true, true)
    #expect(
      try await collection.findOneAndUpdate(filter: [:], update: update, options: options) == ["name": "Ada"]
    )
    _ = try await collection.findOneAndReplace(filter: [:], replacement: ["b": true])
    _ = try await collection.findOneAndDelete(filter: ["c": true])
    #expect(
      calls(server) == [
        #","query":{},"update":{"$set":{"a":true}},"upsert":true "updateOne""#,
        #","query":{},"update":{"$set":{"a":true}},"upsert":false "updateMany""#,
        #","filter":{},"update":{"$set":{"a":true}},"upsert":true,"returnNewDocument":true,"#
          + #""projection":{"name":true},"sort":{"a":true} "findOneAndUpdate""#,
        #","filter":{},"update":{"b":true} "findOneAndReplace""#,
        #","filter":{"c":true} "findOneAndDelete""#,
      ]
    )
  }

  @Test func anAnswerThatIsNotUnderstoodIsAnError() async throws {
    let server = try RecordedServer { _ in .json(200, "true") }
    let collection = try await collection(server)
    let error = await #expect(throws: AppError.self) { try await collection.find(filter: [:]) }
    #expect(error?.code == .badResponse)
  }

  // MARK: Watching

  private final class Delegate: ChangeEventDelegate, Sendable {
    let events = Mutex<[String]>([])

    private func add(_ event: String) { events.withLock { $0.append(event) } }

    func changeStreamDidOpen(_ changeStream: ChangeStream) { add("open") }
    func changeStreamDidClose(with error: (any Error)?) { add(error == nil ? "closed" : "failed") }
    func changeStreamDidReceive(error: any Error) { add("error") }
    func changeStreamDidReceive(changeEvent: AnyBSON?) {
      add("change \(changeEvent?.documentValue?["a"]??.int32Value ?? 0)")
    }

    func wait(_ expected: [String]) async throws {
      try await eventually("\(expected)") { events.withLock { $0 == expected } }
    }
  }

  @Test func aDelegateReceivesTheChanges() async throws {
    let server = try RecordedServer { _ in .stream }
    let collection = try await collection(server)
    let delegate = Delegate()
    let queue = DispatchQueue(label: "watching")
    let stream = collection.watch(matchFilter: ["fullDocument.a": 1], delegate: delegate, queue: queue)
    try await delegate.wait(["open"])
    server.send("data: {\"a\":{\"$numberInt\":\"4\"}}\n\n")
    try await delegate.wait(["open", "change 4"])
    stream.close()
    stream.close()
    try await delegate.wait(["open", "change 4", "closed"])
  }

  @Test func aStreamThatIsRefusedFails() async throws {
    let server = try RecordedServer { _ in .json(403, "{}") }
    let collection = try await collection(server)
    let delegate = Delegate()
    let stream = collection.watch(
      filterIds: [try ObjectId(string: "65a000000000000000000001")],
      delegate: delegate,
      queue: DispatchQueue(label: "watching")
    )
    try await delegate.wait(["failed"])
    withExtendedLifetime(stream) {}
  }

  @Test func changesAreASequence() async throws {
    let server = try RecordedServer { _ in .stream }
    let collection = try await collection(server)
    let changes = collection.changeEvents(onOpen: {
      server.send("data: {\"a\":true}\n\ndata: {\"a\":false}\n\n")
    })
    var received: [AnyBSON] = []
    for try await change in changes {
      received.append(change)
      if received.count == 2 { server.endStreams() }
    }
    #expect(received == [["a": true], ["a": false]])
  }

  // MARK: Transport

  private final class Locating: RLMNetworkTransport, @unchecked Sendable {
    let urls = Mutex<[String]>([])

    override func sendRequest(
      toServer request: RLMRequest,
      completion: @escaping RLMNetworkTransportCompletionBlock
    ) {
      urls.withLock { $0.append("\(request.method) \(request.url)") }
      guard request.url.hasSuffix("/location") else {
        request.headers["X-Passed"] = "yes"
        return super.sendRequest(toServer: request) { response in
          if response.httpStatusCode == 404 { response.body = #"{"error":"changed","error_code":"Mine"}"# }
          completion(response)
        }
      }
      let response = RLMResponse()
      response.httpStatusCode = 200
      response.body = #"{"hostname":"","ws_hostname":""}"#
      completion(response)
    }
  }

  @Test func aTransportCanChangeRequestsAndAnswers() async throws {
    let server = try RecordedServer()
    let transport = Locating()
    let user = try await logIn(server, transport: transport)
    #expect(server.requests("GET", "/location").isEmpty)
    #expect(server.requests("POST", "/login").map { $0.headers["x-passed"] } == ["yes"])
    let error = await #expect(throws: AppError.self) { try await user.functions.sum() }
    #expect(error?.serverCode == "Mine" && error?.message.hasSuffix("changed") == true)
    #expect(transport.urls.withLock { $0.first } == "GET \(server.url)/api/client/v2.0/app/tasks/location")
  }

  @Test func aTransportCanFail() async throws {
    final class Offline: RLMNetworkTransport, @unchecked Sendable {
      override func sendRequest(
        toServer request: RLMRequest,
        completion: @escaping RLMNetworkTransportCompletionBlock
      ) {
        let response = RLMResponse()
        response.customStatusCode = -1009
        response.body = "offline"
        completion(response)
      }
    }
    let server = try RecordedServer()
    let error = await #expect(throws: AppError.self) { try await logIn(server, transport: Offline()) }
    #expect(error?.code == .connectionFailed && error?.message == "offline")
  }
}
