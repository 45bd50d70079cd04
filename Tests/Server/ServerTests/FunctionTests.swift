// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import Testing

@testable import FlexSyncServer

/// Calls of functions and services, which the server refuses like App Services refuses what an app does not have.
@Suite struct FunctionTests {
  private let route = "/app/\(Harness.appID)/functions/call"

  private func check(
    _ answer: Harness.Answer,
    _ code: String,
    _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectRefusal(answer, 404, code)
    #expect(answer.json?["error"] == .string(message), sourceLocation: sourceLocation)
  }

  @Test func aFunctionIsNotFound() throws {
    let harness = try Harness()
    let token = try harness.logIn().access
    let body: JSON = ["name": "sum", "arguments": [1]]
    let answer = try harness.request("POST", route, token: token, body: body)
    check(answer, "FunctionNotFound", "function not found: 'sum'")
  }

  @Test func aServiceIsNotFound() throws {
    let harness = try Harness()
    let token = try harness.logIn().access
    let body: JSON = ["name": "find", "arguments": [], "service": "mongodb-atlas"]
    let message = "service not found: 'mongodb-atlas'"
    check(try harness.request("POST", route, token: token, body: body), "ServiceNotFound", message)
    let call = Base64.encode(Array(body.serialized.utf8))
    let stream = try harness.request("GET", "\(route)?baas_request=\(call)&baas_at=\(token)")
    check(stream, "ServiceNotFound", message)
    for method in ["PUT", "DELETE"] {
      let route = "/app/\(Harness.appID)/push/providers/gcm/registration"
      let answer = try harness.request(method, route, token: token, body: [:])
      check(answer, "ServiceNotFound", "service not found: 'gcm'")
    }
  }

  @Test func aCallNeedsALoginAndAName() throws {
    let harness = try Harness()
    expectRefusal(try harness.request("POST", route, body: ["name": "sum"]), 401, "InvalidSession")
    expectRefusal(try harness.request("GET", "\(route)?baas_at=x"), 401, "InvalidSession")
    let token = try harness.logIn().access
    expectRefusal(try harness.request("POST", route, token: token, body: [:]), 400, "BadRequest")
    let stream = try harness.request("GET", "\(route)?baas_request=%21&baas_at=\(token)")
    expectRefusal(stream, 400, "BadRequest")
  }
}
