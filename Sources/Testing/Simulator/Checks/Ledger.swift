// SPDX-License-Identifier: Apache-2.0

/// The write transactions of the clients' apps: which ones the device has acknowledged, and which ones a fault was
/// allowed to destroy.
final class Ledger {
  enum Fate {
    /// The device has acknowledged that it is stored. It must reach the server exactly once.
    case committed
    /// The commit failed in a way that leaves it unclear whether it is stored. The file shows it after the restart.
    case uncertain
    /// The device lost power before it was uploaded. It must not be on the server.
    case lost
    /// The client was reset in a mode that discards what has not been uploaded. It may be on the server.
    case discarded
  }

  struct Transaction {
    let key: String
    let client: Int
    let sequence: Int
    /// The client version of the transaction; nil if that is uncertain.
    let version: UInt64?
    var fate: Fate
    /// Whether the server may contain it twice where that makes a difference: the server may already have had it when
    /// the client reapplied it after a reset.
    var mayRepeat = false
    /// Whether the client's file was left to a reset, so that it may lack the transaction.
    var isForgotten = false
  }

  private(set) var transactions: [Transaction] = []
  private var tokenCount = 0

  /// Returns a text that occurs nowhere else.
  func makeToken() -> String {
    tokenCount += 1
    return "t\(tokenCount)"
  }

  /// Returns the key of the next transaction of a client.
  func nextKey(client: Int) -> (key: String, sequence: Int) {
    let sequence = transactions.count
    return ("c\(client)-\(sequence)", sequence)
  }

  func note(_ key: String, client: Int, sequence: Int, fate: Fate, version: UInt64? = nil) {
    transactions.append(
      Transaction(key: key, client: client, sequence: sequence, version: version, fate: fate)
    )
  }

  /// Compares the ledger with a client's file after the client's process has died.
  ///
  /// - Parameters:
  ///   - keys: The keys of the transactions in the file.
  ///   - powerWasLost: Whether the last transactions may be missing.
  func reconcile(client: Int, keys: Set<String>, powerWasLost: Bool) throws {
    for index in transactions.indices where transactions[index].client == client {
      let transaction = transactions[index]
      guard !transaction.isForgotten else { continue }
      let isThere = keys.contains(transaction.key)
      switch transaction.fate {
      case .uncertain: transactions[index].fate = isThere ? .committed : .lost
      case .committed where !isThere:
        guard powerWasLost else {
          throw SimulationFailure("client \(client) lost the committed transaction \(transaction.key)")
        }
        transactions[index].fate = .lost
      case .lost where isThere:
        throw SimulationFailure("the lost transaction \(transaction.key) of client \(client) came back")
      default: break
      }
    }
  }

  /// Records that a client was reset and reapplied what the server had not acknowledged.
  func mayRepeat(client: Int, after version: UInt64) {
    for index in transactions.indices where transactions[index].client == client {
      if (transactions[index].version ?? .max) > version { transactions[index].mayRepeat = true }
    }
  }

  /// Records that a client recreates its file, so that what the server has not acknowledged is discarded.
  func forget(client: Int, after version: UInt64) {
    for index in transactions.indices where transactions[index].client == client {
      guard !transactions[index].isForgotten else { continue }
      transactions[index].isForgotten = true
      guard transactions[index].fate == .committed, (transactions[index].version ?? .max) > version else {
        continue
      }
      transactions[index].fate = .discarded
    }
  }

  /// Records that a client was reset and kept only the given transactions.
  func discardAll(of client: Int, except keys: Set<String>) {
    for index in transactions.indices where transactions[index].client == client {
      guard transactions[index].fate == .committed, !keys.contains(transactions[index].key) else { continue }
      transactions[index].fate = .discarded
    }
  }
}
