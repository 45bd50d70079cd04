// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncServerSupport
import Logging

/// The destination of e-mails to users.
public enum MailDelivery: Hashable, Sendable {
  /// A program that runs once for each e-mail, without a shell, with JSON on its standard input.
  case command(String)
  /// A folder in which each e-mail becomes a JSON file.
  case folder(String)

  /// Checks that there is such a program or that there can be such a folder, because the first user who waits for an
  /// e-mail would otherwise be the one to notice.
  ///
  /// - Throws: `ServerError` that says what to do.
  public func check() throws(ServerError) {
    switch self {
    case .command(let program):
      guard FileSystem.isFile(program) else {
        throw ServerError(
          "there is no program \(program); write its whole path, such as /usr/local/bin/send-mail"
        )
      }
      guard FileSystem.isExecutable(program) else {
        throw ServerError("\(program) cannot be executed by the server's user; check its permissions")
      }
    case .folder(let folder):
      guard FileSystem.exists(folder) else { return }
      guard FileSystem.isDirectory(folder), FileSystem.isWritable(folder) else {
        throw ServerError("\(folder) must be a folder in which the server's user can create files")
      }
    }
  }

  /// Checks as `check` does, and creates the folder if it does not exist.
  ///
  /// - Throws: `ServerError` that says what to do, `FileError`.
  public func prepare() throws {
    try check()
    if case .folder(let folder) = self { try FileSystem.createDirectory(folder) }
  }

  /// Delivers one e-mail. Blocks until the program has exited.
  package func deliver(_ mail: JSON) throws {
    let content = Array("\(mail.serialized)\n".utf8)
    switch self {
    case .command(let program):
      try MailCommand(program: program).run(input: content)
    case .folder(let folder):
      try FileSystem.createDirectory(folder)
      let name = Hex.encode(RandomBytes.generate(count: 16))
      try FileSystem.writePrivately(content, to: "\(folder)/\(name).json")
    }
  }
}

/// The e-mails waiting for delivery, one after another, so that a slow program does not delay password checks.
/// Confined to the loop.
final class MailQueue {
  private static let maximumCount = 1_000

  private let delivery: MailDelivery?
  private let worker: any BlockingWorker
  private let logger: Logger
  private var waiting: [AccountMail] = []
  private var isDelivering = false

  init(delivery: MailDelivery?, worker: any BlockingWorker, logger: Logger) {
    self.delivery = delivery
    self.worker = worker
    self.logger = logger
  }

  /// Whether the operator has said where mails go.
  var hasDelivery: Bool { delivery != nil }

  /// Queues an e-mail for delivery. Failures are logged without the token and the address.
  func send(_ mail: AccountMail) {
    guard delivery != nil else {
      return logger.notice(
        "mail not sent: neither --mail-command nor --mail-folder is given; see flexsyncd users --help",
        metadata: ["mail": "\(mail.record.id)", "purpose": "\(mail.record.purpose.rawValue)"]
      )
    }
    guard waiting.count < MailQueue.maximumCount else {
      return report("too many mails are waiting for delivery", mail)
    }
    waiting.append(mail)
    deliverNext()
  }

  private func deliverNext() {
    guard !isDelivering, let delivery, !waiting.isEmpty else { return }
    isDelivering = true
    let mail = waiting.removeFirst()
    worker.performBlocking {
      Result { try delivery.deliver(mail.json) }
    } completion: { [self] result in
      isDelivering = false
      if case .failure(let error) = result { report("\(error)", mail) }
      deliverNext()
    }
  }

  private func report(_ error: String, _ mail: AccountMail) {
    logger.error(
      "a mail could not be delivered",
      metadata: [
        "mail": "\(mail.record.id)", "purpose": "\(mail.record.purpose.rawValue)", "error": .string(error),
      ]
    )
  }
}
