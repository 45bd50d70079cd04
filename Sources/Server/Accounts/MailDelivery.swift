// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncServerSupport
import Logging

/// Where mails to users go.
public enum MailDelivery: Hashable, Sendable {
  /// A program that is run for each mail, with JSON on its standard input, and without a shell.
  case command(String)
  /// A folder in which each mail becomes a file with JSON.
  case folder(String)

  /// Hands over one mail; takes as long as the program does.
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

/// The mails that wait for being handed over, one after the other: a slow program must not keep passwords from being
/// checked. Confined to the loop.
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

  /// Hands over a mail, soon. What cannot be handed over is logged, without its token and the address.
  func send(_ mail: AccountMail) {
    guard delivery != nil else {
      return logger.notice(
        "no mail is sent, since neither --mail-command nor --mail-folder is given; see flexsyncd users --help",
        metadata: ["mail": "\(mail.tokenID)", "purpose": "\(mail.purpose.rawValue)"]
      )
    }
    guard waiting.count < MailQueue.maximumCount else {
      return report("too many mails wait for being handed over", mail)
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
      "a mail could not be handed over",
      metadata: [
        "mail": "\(mail.tokenID)", "purpose": "\(mail.purpose.rawValue)", "error": .string(error),
      ]
    )
  }
}
