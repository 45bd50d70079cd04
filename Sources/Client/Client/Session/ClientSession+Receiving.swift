// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Messages from the server: checks that they are legal (protocol §3.3), and their effects.
extension ClientSession {
  mutating func receive(_ message: ServerMessage) {
    do throws(ProtocolError) {
      switch message {
      case .ident(_, let file): try receive(file)
      case .download(let download): try receive(download)
      case .mark(_, let request): try receiveMark(request)
      case .queryError(_, _, let version, let message): try receiveQueryError(version, message)
      case .unbound: try receiveUnbound()
      case .error(let error), .plainError(let error): try receive(error)
      case .log(let log): effects.append(.log(log))
      case .testCommand: break
      case .pong: throw ProtocolError(.badMessageOrder, "PONG is not a session message")
      }
    } catch {
      effects.append(.violation(error))
    }
  }

  private mutating func receive(_ ident: SaltedFileIdent) throws(ProtocolError) {
    guard file == nil, link == .waitingForIdent || link == .unbinding(hadIdent: false) else {
      throw unexpected("IDENT")
    }
    guard ident.ident != 0, ident.salt != 0 else {
      throw ProtocolError(.badSyntax, "IDENT with ident \(ident.ident) and salt \(ident.salt)")
    }
    file = ident
    effects.append(.saveFileIdent(ident))
    if link == .waitingForIdent { identify(ident) }
  }

  private mutating func receiveMark(_ request: MarkIdent) throws(ProtocolError) {
    guard try isExpected("MARK") else { return }
    guard let tokens = marks.receive(request) else {
      throw ProtocolError(.badMessageOrder, "MARK \(request) was not requested")
    }
    hasCaughtUp = true
    resumptionDelay.reset()
    binding.isDelayed = false
    if activeSet.state == .awaitingMark {
      activeSet.state = .complete
      effects.append(.setSubscriptionState(activeSet.version, .complete, message: nil))
    }
    for token in tokens { effects.append(.completed(token)) }
    pump()
  }

  private mutating func receiveQueryError(_ version: QueryVersion, _ message: String) throws(ProtocolError) {
    guard try isExpected("QUERY_ERROR") else { return }
    guard version <= binding.lastQueried, pendingSets.contains(where: { $0.version == version }) else {
      throw ProtocolError(.badMessageOrder, "QUERY_ERROR for set \(version), which is not pending")
    }
    if partialBootstrap == version {
      partialBootstrap = nil
      effects.append(.discardBootstrapBatches)
    }
    pendingSets.removeAll { $0.version == version }
    effects.append(.setSubscriptionState(version, .error, message: message))
    if isSkippedSetDue { unbind() } else { pump() }
  }

  /// Whether a set that was skipped in favour of sets that the server then refused must come into force after all.
  /// Its version is below the last one sent, so it can only be sent in another binding.
  private var isSkippedSetDue: Bool {
    pendingSets.last.map { binding.skippedSets.contains($0.version) } ?? false
  }

  private mutating func receiveUnbound() throws(ProtocolError) {
    guard case .unbinding = link else { throw unexpected("UNBOUND") }
    link = .unbound
    bind()
  }

  /// Whether a message that requires our IDENT must be handled (true) or ignored (false).
  func isExpected(_ name: String) throws(ProtocolError) -> Bool {
    switch link {
    case .active: return true
    case .clientFailed, .unbinding(hadIdent: true): return false
    case .disconnected, .unbound, .waitingForIdent, .unbinding(hadIdent: false): throw unexpected(name)
    }
  }

  func unexpected(_ name: String) -> ProtocolError {
    link == .unbound || link == .disconnected
      ? ProtocolError(.badSessionIdent, "\(name) for session \(session), which is not bound")
      : ProtocolError(.badMessageOrder, "\(name) at the wrong time in session \(session)")
  }
}
