// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore
@testable import FlexSyncWire

/// How a client goes about a reset (protocol §9.2, §9.3).
@Suite("Client resets")
struct ClientResetTests {
  private func decide(
    _ mode: ClientResetMode,
    allowed: Bool = true,
    after previous: LocalChangesFate? = nil
  ) -> ClientResetDecision {
    ClientResetDecision(mode: mode, isRecoveryAllowed: allowed, previous: previous)
  }

  private func fails(_ decision: ClientResetDecision) -> Bool {
    if case .fail = decision { true } else { false }
  }

  @Test("the app's mode and the server's permission decide")
  func table() {
    for allowed in [true, false] {
      #expect(decide(.manual, allowed: allowed) == .manual)
      #expect(decide(.discard, allowed: allowed) == .perform(.discarded))
    }
    #expect(decide(.recover) == .perform(.recovered))
    #expect(fails(decide(.recover, allowed: false)))
    #expect(decide(.recoverOrDiscard) == .perform(.recovered))
    #expect(decide(.recoverOrDiscard, allowed: false) == .perform(.discarded))
  }

  @Test("what did not help is not done again")
  func cycles() {
    #expect(fails(decide(.recover, after: .recovered)))
    #expect(decide(.recoverOrDiscard, after: .recovered) == .perform(.discarded))
    #expect(decide(.discard, after: .recovered) == .perform(.discarded))
    for mode in [ClientResetMode.discard, .recover, .recoverOrDiscard] {
      #expect(fails(decide(mode, after: .discarded)))
    }
    #expect(decide(.manual, after: .discarded) == .manual)
  }

  @Test("the fresh copy gets the empty set first, then the one in force")
  func download() {
    let download = FreshCopyDownload(wanted: 7)
    #expect(download.step(after: 0, .awaitingMark, message: nil) == nil)
    #expect(download.step(after: 0, .complete, message: nil) == .commitWantedSet)
    #expect(download.step(after: 7, .complete, message: nil) == .endSession)
    #expect(FreshCopyDownload(wanted: 0).step(after: 0, .complete, message: nil) == .endSession)
    let refused = download.step(after: 7, .error, message: "no")
    #expect(refused == .fail("the server rejected the subscriptions: no"))
  }

  @Test("a fresh copy sends queries and no uploads")
  func downloadOnly() throws {
    var client = MemoryClient(
      configuration: ClientSessionConfiguration(
        session: 2,
        bindOptions: BindOptions(sessionReason: .clientReset),
        isDownloadOnly: true,
        seed: 1
      )
    )
    client.feed(.connected(0))
    try client.receive("ident 2 3 1003\n")
    try client.receive("download 2 3 0 3 77 0 0 0 1 1 0 0 0\n")
    try client.receive("mark 2 1\n")
    #expect(client.takeHeads() == ["bind 2 37 0 1 0", "ident 2 3 1003 0 0 0 0 0 2", "mark 2 1"])
    client.commitSet(7)
    #expect(client.takeHeads() == ["query 2 7 19", "mark 2 2"])
    let readsHistory = client.effects.contains { if case .fetchUploads = $0 { true } else { false } }
    #expect(!readsHistory)
  }
}
