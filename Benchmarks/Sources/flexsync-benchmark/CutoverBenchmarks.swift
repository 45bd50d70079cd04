// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTransport
import Foundation

/// Cut-over: many clients log in with passwords and bootstrap at the same time while another client writes.
func cutoverBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let (clientCount, objectCount) = options.isQuick ? (20, 2000) : (200, 20_000)
  return try Server.run(options, in: folder) { server in
    let generator = try LoadGenerator(server)
    let author = LoadClient(assignee: "author")
    try generator.connect([author])
    author.prepare(makeTasks(objectCount, from: 0)[...])
    try generator.upload([author], window: 32)
    try generator.drop([author])
    for number in 0..<clientCount { try generator.register(number) }

    let probe = try Probe.acknowledgement(server, folder.appending(path: "writer"), firstRow: 10_000_000)
    func measure(_ load: () throws -> Void) throws -> Samples {
      let begin = ContinuousClock.now
      try load()
      return try probe.samples(from: begin, to: .now)
    }
    let quiet = try measure { try generator.turn(seconds: options.isQuick ? 3 : 15) }
    var cutover = Cutover(clientCount: clientCount, objectCount: objectCount)
    let loaded = try measure { try cutover.run(generator) }
    try probe.stop()
    return cutover.figures + acknowledgementFigures(loaded, quiet, clientCount)
  }
}

private func acknowledgementFigures(_ loaded: Samples, _ quiet: Samples, _ clientCount: Int) -> [Figure] {
  [("p99", 0.99), ("longest", 1)].map { name, fraction in
    Figure(
      quantity: "acknowledgement of a write, during the cut-over of \(clientCount) clients, \(name)",
      unit: .milliseconds,
      flexSync: loaded,
      comparison: "the same without load, \(name)",
      raw: quiet,
      statistic: { $0.percentile(fraction) }
    )
  }
}

/// A group of clients that all arrive at once.
private struct Cutover {
  let clientCount: Int
  let objectCount: Int
  private var logIns: [Double] = []
  private var bootstraps: [Double] = []

  init(clientCount: Int, objectCount: Int) {
    self.clientCount = clientCount
    self.objectCount = objectCount
  }

  /// Makes all clients log in and bootstrap, and waits until the last one has finished.
  mutating func run(_ generator: LoadGenerator) throws {
    let begin = ContinuousClock.now
    var answers: [Result<String, any Error>] = []
    var waiting = (0..<clientCount).map {
      LoadClient(assignee: "device-\($0)", query: #"(assignee == "author")"#)
    }
    var clients: [LoadClient] = []
    for number in 0..<clientCount { try generator.logIn(number) { answers.append($0) } }
    while bootstraps.count < clientCount {
      try generator.turn(seconds: 300) { !answers.isEmpty || clients.contains(where: \.hasFinished) }
      let now = begin.duration(to: .now).inSeconds
      for answer in answers {
        logIns.append(now)
        let client = waiting.removeLast()
        try generator.begin(client, token: answer.get())
        clients.append(client)
      }
      answers = []
      for client in clients where client.hasFinished {
        if case .failed(let reason) = client.phase { throw BenchmarkError(reason) }
        guard client.receivedCount > 0 else { throw BenchmarkError("A bootstrap was empty.") }
        bootstraps.append(now)
        clients.removeAll { $0 === client }
        client.drop()
      }
    }
  }

  var figures: [Figure] {
    [
      figure("until the log-in is answered", logIns),
      figure("until the bootstrap of \(objectCount) objects has come", bootstraps),
    ]
  }

  private func figure(_ what: String, _ times: [Double]) -> Figure {
    Figure(
      quantity: "cut-over of \(clientCount) clients: \(what), the last of them",
      unit: .milliseconds,
      flexSync: Samples(times),
      comparison: "the first of them",
      raw: Samples([times.min() ?? 0]),
      statistic: { $0.percentile(1) }
    )
  }
}

extension LoadClient {
  /// Whether the client has received everything or has failed.
  fileprivate var hasFinished: Bool {
    if case .failed = phase { return true }
    return phase == .ready
  }
}

extension LoadGenerator {
  private static let password = "correct horse battery staple"

  private static func address(_ number: Int) -> String { "device-\(number)@example.com" }

  /// Registers a user with a password.
  fileprivate func register(_ number: Int) throws {
    let body: JSON = [
      "email": .string(LoadGenerator.address(number)), "password": .string(LoadGenerator.password),
    ]
    let status = try answer("/auth/providers/local-userpass/register", body.serialized).status
    try require("the status of a registration", status, 201)
  }

  /// Logs a user in.
  ///
  /// - Parameter completion: Receives the access token.
  fileprivate func logIn(_ number: Int, completion: @escaping (Result<String, any Error>) -> Void) throws {
    let body: JSON = [
      "username": .string(LoadGenerator.address(number)), "password": .string(LoadGenerator.password),
    ]
    try send("/auth/providers/local-userpass/login", body.serialized) { result in
      completion(
        Result {
          let response = try result.get()
          guard let token = try JSON.parse(response.body)["access_token"]?.stringValue else {
            throw BenchmarkError("A log-in was refused with status \(response.status).")
          }
          return token
        }
      )
    }
  }
}
