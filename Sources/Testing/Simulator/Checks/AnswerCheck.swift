// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Tracks the unanswered questions of clients: on a working connection, no client may wait forever.
package struct AnswerCheck {
  /// The maximum time a client may wait, in simulated milliseconds: longer than it takes both ends to notice that a
  /// connection is dead.
  package static let patience: UInt64 = 30 * 60_000

  private struct Question: Hashable {
    enum Kind: Hashable {
      case fileIdent, firstDownload
      case mark(MarkIdent)
    }

    let session: SessionIdent
    let kind: Kind
  }

  private var questions: [[Question: UInt64]]

  package init(clientCount: Int) {
    questions = Array(repeating: [:], count: clientCount)
  }

  /// Records a message from a client that has arrived at the server.
  package mutating func sent(_ message: ClientMessage, by client: Int, now: UInt64) {
    func ask(_ session: SessionIdent, _ kind: Question.Kind) {
      questions[client][Question(session: session, kind: kind)] = now
    }
    switch message {
    case .bind(let bind):
      forget(client, session: bind.session)
      if bind.needsFileIdent { ask(bind.session, .fileIdent) }
    case .ident(let ident): ask(ident.session, .firstDownload)
    case .mark(let session, let request): ask(session, .mark(request))
    case .unbind(let session): forget(client, session: session)
    default: break
    }
  }

  /// Records a message that a client has received.
  package mutating func received(_ message: ServerMessage, by client: Int) {
    switch message {
    case .ident(let session, _): answer(client) { $0 == Question(session: session, kind: .fileIdent) }
    case .download(let download):
      answer(client) { $0 == Question(session: download.session, kind: .firstDownload) }
    case .mark(let session, let answered):
      answer(client) { question in
        guard case .mark(let request) = question.kind else { return false }
        return question.session == session && request <= answered
      }
    case .error(let error) where error.code.endsSession: forget(client, session: error.session)
    default: break
    }
  }

  /// Skips time in which nothing happened, so that it does not count as waiting.
  package mutating func skip(milliseconds: UInt64) {
    for client in questions.indices { questions[client] = questions[client].mapValues { $0 + milliseconds } }
  }

  /// Forgets the questions of a client whose connection does not work now. It asks again on the next connection.
  package mutating func forget(_ client: Int) { questions[client] = [:] }

  private mutating func forget(_ client: Int, session: SessionIdent) {
    answer(client) { $0.session == session || session == 0 }
  }

  private mutating func answer(_ client: Int, _ isAnswered: (Question) -> Bool) {
    questions[client] = questions[client].filter { !isAnswered($0.key) }
  }

  /// Returns the answer for which a client has waited too long; nil if there is none.
  package func overdueAnswer(to client: Int, now: UInt64) -> String? {
    guard let question = questions[client].first(where: { $0.value + Self.patience < now }) else {
      return nil
    }
    let text =
      switch question.key.kind {
      case .fileIdent: "a file ident"
      case .firstDownload: "what follows its IDENT"
      case .mark(let request): "the answer to MARK \(request)"
      }
    let minutes = (now - question.value) / 60_000
    return "client \(client) has waited for \(minutes) minutes for \(text) in session \(question.key.session)"
  }
}
