// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The MARKs of a client's session, and who waits for their answers.
struct MarkRequests: Hashable, Sendable {
  private struct Wait: Hashable {
    let token: WaitToken
    /// The MARK whose answer ends the wait; nil if it is not sent.
    var request: MarkIdent?
  }

  private(set) var isWanted = false
  private var lastSent: MarkIdent = 0
  private var lastReceived: MarkIdent = 0
  private var waits: [Wait] = []

  /// Whether an answer is on its way, or a MARK about to be sent.
  var isPending: Bool { isWanted || lastSent > lastReceived }

  /// Wants a MARK to be sent.
  mutating func request() { isWanted = true }

  /// Wants a MARK to be sent for somebody who waits.
  mutating func request(token: WaitToken) {
    waits.append(Wait(token: token))
    isWanted = true
  }

  /// Starts a new binding: answers to the MARKs of the last one will not come.
  mutating func rebind() {
    lastReceived = lastSent
    for index in waits.indices { waits[index].request = nil }
    isWanted = true
  }

  /// The number of the MARK to send now.
  mutating func send() -> MarkIdent {
    lastSent += 1
    isWanted = false
    for index in waits.indices where waits[index].request == nil { waits[index].request = lastSent }
    return lastSent
  }

  /// Takes an answer; gives those who waited for it, or nil if the answer is not legal (protocol §3.3).
  mutating func receive(_ request: MarkIdent) -> [WaitToken]? {
    guard request > lastReceived, request <= lastSent else { return nil }
    lastReceived = request
    let done = waits.filter { ($0.request ?? .max) <= request }
    waits.removeAll { ($0.request ?? .max) <= request }
    return done.map(\.token)
  }
}
