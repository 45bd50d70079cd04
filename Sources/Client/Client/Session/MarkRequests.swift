// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The MARKs of a client session, and the waits for their answers.
struct MarkRequests: Hashable, Sendable {
  private struct Wait: Hashable {
    let token: WaitToken
    /// The MARK whose answer ends the wait; nil if it has not been sent.
    var request: MarkIdent?
  }

  private(set) var isWanted = false
  private var lastSent: MarkIdent = 0
  private var lastReceived: MarkIdent = 0
  private var waits: [Wait] = []

  /// Whether an answer is on its way or a MARK is about to be sent.
  var isPending: Bool { isWanted || lastSent > lastReceived }

  /// Requests that a MARK be sent.
  mutating func request() { isWanted = true }

  /// Requests that a MARK be sent for a wait.
  mutating func request(token: WaitToken) {
    waits.append(Wait(token: token))
    isWanted = true
  }

  /// Starts a new binding, in which answers to the MARKs of the previous one will not arrive.
  mutating func rebind() {
    lastReceived = lastSent
    for index in waits.indices { waits[index].request = nil }
    isWanted = true
  }

  /// Returns the number of the MARK to send now.
  mutating func send() -> MarkIdent {
    lastSent += 1
    isWanted = false
    for index in waits.indices where waits[index].request == nil { waits[index].request = lastSent }
    return lastSent
  }

  /// Handles an answer and returns the waits that it ends; nil if the answer is not legal (protocol §3.3).
  mutating func receive(_ request: MarkIdent) -> [WaitToken]? {
    guard request > lastReceived, request <= lastSent else { return nil }
    lastReceived = request
    let done = waits.filter { ($0.request ?? .max) <= request }
    waits.removeAll { ($0.request ?? .max) <= request }
    return done.map(\.token)
  }
}
