// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncScheduling
@testable import FlexSyncServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Passwords that wait for being checked")
struct PasswordQueueTests {
  /// Does its work when it is told to.
  private final class PatientWorker: BlockingWorker {
    private var work: [() -> Void] = []

    var count: Int { work.count }

    func performBlocking<Result: Sendable>(
      _ work: @escaping @Sendable () -> Result,
      completion: @escaping (Result) -> Void
    ) {
      self.work.append { completion(work()) }
    }

    func finishOne() { work.removeFirst()() }

    func finishAll() { while !work.isEmpty { finishOne() } }
  }

  /// Keeps a thread waiting until it is opened.
  private final class Gate: Sendable {
    private let input: Int32
    private let output: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      (input, output) = (ends[0], ends[1])
    }

    deinit {
      close(input)
      close(output)
    }

    func wait() {
      var byte: UInt8 = 0
      _ = read(input, &byte, 1)
    }

    func open() { _ = write(output, "x", 1) }
  }

  private let worker = PatientWorker()

  private func queue(_ limits: String...) throws -> PasswordQueue {
    var values = ServerLimits()
    for limit in limits { try values.apply(limit) }
    return PasswordQueue(worker: worker, limits: values)
  }

  /// What has been answered, in order.
  private final class Answers {
    var names: [String] = []
    var errors: [String: AccountError] = [:]
  }

  private func ask(
    _ queue: PasswordQueue,
    _ name: String,
    from address: String,
    _ answers: Answers,
    _ cancellation: RequestCancellation = RequestCancellation()
  ) throws {
    try queue.perform(for: Requester(address: address, cancellation: cancellation)) {
      {}
    } completion: { (result: Result<Void, any Error>) in
      answers.names.append(name)
      if case .failure(let error) = result { answers.errors[name] = error as? AccountError }
    }
  }

  @Test("As many are checked at a time as there are slots")
  func slots() throws {
    let queue = try queue("password-slots=2")
    let answers = Answers()
    for number in 1...5 { try ask(queue, "\(number)", from: "a", answers) }
    #expect(worker.count == 2 && queue.waitingCount == 3)
    worker.finishOne()
    #expect(worker.count == 2 && queue.waitingCount == 2)
    worker.finishAll()
    #expect(answers.names == ["1", "2", "3", "4", "5"] && queue.waitingCount == 0)
  }

  @Test("Addresses take turns, so that one that asks for much delays only itself")
  func fairness() throws {
    let queue = try queue("password-slots=1")
    let answers = Answers()
    for number in 1...100 { try ask(queue, "crowd \(number)", from: "crowd", answers) }
    try ask(queue, "ann 1", from: "ann", answers)
    try ask(queue, "ann 2", from: "ann", answers)
    try ask(queue, "bob 1", from: "bob", answers)
    worker.finishAll()
    #expect(
      answers.names.prefix(7)
        == ["crowd 1", "crowd 2", "ann 1", "bob 1", "crowd 3", "ann 2", "crowd 4"]
    )
    #expect(answers.names.count == 103 && answers.errors.isEmpty)
  }

  @Test("An address with too many that wait gets 429, others go on")
  func limitOfAddress() throws {
    let queue = try queue("password-slots=1", "passwords-waiting-per-address=2")
    let answers = Answers()
    for number in 1...3 { try ask(queue, "\(number)", from: "a", answers) }
    #expect(throws: AccountError.crowdedAddress) { try ask(queue, "4", from: "a", answers) }
    let answer = APIError(.crowdedAddress)
    #expect(answer.status == 429 && answer.retryAfter == 60)
    try ask(queue, "other", from: "b", answers)
    worker.finishAll()
    #expect(answers.names.count == 4 && answers.errors.isEmpty)
  }

  @Test("A crowd that fills the whole queue makes room for others")
  func limitOfAll() throws {
    let queue = try queue("password-slots=1", "passwords-waiting=4")
    let answers = Answers()
    for number in 1...5 { try ask(queue, "crowd \(number)", from: "crowd", answers) }
    #expect(throws: AccountError.busy) { try ask(queue, "crowd 6", from: "crowd", answers) }
    for name in ["ann", "bob"] { try ask(queue, name, from: name, answers) }
    #expect(answers.errors == ["crowd 5": .busy, "crowd 4": .busy] && queue.waitingCount == 4)
    // Nobody has more than one request more than the newcomer.
    #expect(throws: AccountError.busy) { try ask(queue, "ann 2", from: "ann", answers) }
    worker.finishAll()
    #expect(answers.names == ["crowd 5", "crowd 4", "crowd 1", "crowd 2", "ann", "bob", "crowd 3"])
  }

  @Test("A client that has gone leaves its line")
  func cancellation() throws {
    let queue = try queue("password-slots=1")
    let answers = Answers()
    let (first, second) = (RequestCancellation(), RequestCancellation())
    try ask(queue, "1", from: "a", answers, first)
    try ask(queue, "2", from: "a", answers, second)
    try ask(queue, "3", from: "b", answers)
    second.cancel()
    #expect(queue.waitingCount == 1)
    // What is being checked is checked to its end.
    first.cancel()
    worker.finishAll()
    #expect(answers.names == ["1", "3"])
  }

  @Test("A request that its turn refuses takes no slot")
  func refusal() throws {
    let queue = try queue("password-slots=1")
    var answers: [String] = []
    for number in 1...3 {
      try queue.perform(for: Requester(address: "a")) {
        guard number != 2 else { throw AccountError.invalidCredentials }
        return {}
      } completion: { (result: Result<Void, any Error>) in
        answers.append("\(number) \((try? result.get()) != nil)")
      }
    }
    worker.finishOne()
    #expect(answers == ["2 false", "1 true"] && worker.count == 1)
    worker.finishAll()
    #expect(answers.count == 3)
  }

  @Test("A client that hangs up while its password waits is noticed")
  func hangUp() throws {
    let harness = try Harness { try? $0.limits.apply("password-slots=1") }
    try harness.addCheapAccounts(1)
    let queue = try harness.served.accounts.passwords
    let gate = try Gate()
    try queue.perform(for: Requester(address: "somebody else")) {
      { gate.wait() }
    } completion: { (_: Result<Void, any Error>) in
    }
    let client = try RawClient(harness)
    let body = #"{"username":"0@example.com","password":"\#(Harness.password)"}"#
    let head = "POST /api/client/v2.0\(Harness.providers)/local-userpass/login HTTP/1.1\r\nHost: h\r\n"
    client.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    try harness.run(until: { queue.waitingCount == 1 }, "queue")
    client.close()
    try harness.run(until: { queue.waitingCount == 0 }, "end of the wait")
    gate.open()
    #expect(try harness.logIn(email: "0@example.com").status == 200)
  }
}
