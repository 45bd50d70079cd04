// SPDX-License-Identifier: Apache-2.0

/// What the clients' apps know of their write transactions: which the device has acknowledged, and which a fault was
/// allowed to take.
final class Ledger {
  enum Fate {
    /// The device said that it is stored. It must reach the server, once.
    case committed
    /// The commit failed in a way that leaves open whether it is stored; the file tells after the restart.
    case uncertain
    /// The device lost its power before it was uploaded. It must not be on the server.
    case lost
    /// The client was reset in a mode that discards what is not uploaded: it may be on the server.
    case discarded
  }

  struct Transaction {
    let key: String
    let client: Int
    let sequence: Int
    /// The client version that it made; nil if that is uncertain.
    let version: UInt64?
    var fate: Fate
    /// Whether the server may have it twice where that makes a difference: it may have had it already when the client
    /// applied it once more after a reset.
    var mayRepeat = false
    /// Whether the device has left its file to a reset: it need not have the transaction any more.
    var isForgotten = false
  }

  private(set) var transactions: [Transaction] = []
  private var tokenCount = 0

  /// A text that occurs nowhere else.
  func makeToken() -> String {
    tokenCount += 1
    return "t\(tokenCount)"
  }

  /// The key of the next transaction of a client.
  func nextKey(client: Int) -> (key: String, sequence: Int) {
    let sequence = transactions.count
    return ("c\(client)-\(sequence)", sequence)
  }

  func note(_ key: String, client: Int, sequence: Int, fate: Fate, version: UInt64? = nil) {
    transactions.append(
      Transaction(key: key, client: client, sequence: sequence, version: version, fate: fate)
    )
  }

  /// Compares with what a client's file has after its process died.
  ///
  /// - Parameters:
  ///   - keys: the transactions that the file has.
  ///   - powerWasLost: whether the last ones may be missing.
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

  /// The client was reset, and applied again what the server had not acknowledged.
  func mayRepeat(client: Int, after version: UInt64) {
    for index in transactions.indices where transactions[index].client == client {
      if (transactions[index].version ?? .max) > version { transactions[index].mayRepeat = true }
    }
  }

  /// The client makes its file anew: what the server has not acknowledged is discarded.
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

  /// The client was reset and has kept these of its transactions.
  func discardAll(of client: Int, except keys: Set<String>) {
    for index in transactions.indices where transactions[index].client == client {
      guard transactions[index].fate == .committed, !keys.contains(transactions[index].key) else { continue }
      transactions[index].fate = .discarded
    }
  }
}
