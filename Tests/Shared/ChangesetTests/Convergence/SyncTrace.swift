// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncVectors

/// What happens between a server and its clients, one thing after the other.
struct SyncTrace {
  enum Step {
    /// A transaction of a client. It is left out if the client's state does not allow it.
    case write(client: Int, [Instruction], time: UInt64)
    case upload(client: Int)
    case download(client: Int, limit: Int)
  }

  /// The file idents of the clients.
  static let clients: [UInt64] = [2, 3, 4, 5]

  let base: ObjectModel
  var steps: [Step]

  /// Plays all steps, then synchronises everybody.
  ///
  /// - Returns: what went wrong; nil if all have one state in the end.
  func failure() -> String? {
    var group = SyncGroup(base: base)
    do {
      for step in steps { try group.perform(step) }
      try group.synchronize()
    } catch {
      return "\(error)"
    }
    return group.difference
  }

  /// The same failure, or another one, with as few steps as dropping some at a time can find.
  func shrunk() -> SyncTrace {
    var trace = self
    var size = steps.count / 2
    while size > 0 {
      var start = 0
      while start < trace.steps.count {
        var shorter = trace
        shorter.steps.removeSubrange(start..<min(start + size, trace.steps.count))
        if shorter.failure() != nil { trace = shorter } else { start += size }
      }
      size /= 2
    }
    return trace
  }
}

/// A server with its clients.
struct SyncGroup {
  private(set) var server: ModelServer
  private(set) var clients: [ModelClient]

  init(base: ObjectModel) {
    server = ModelServer(model: base, clients: SyncTrace.clients)
    clients = SyncTrace.clients.map { ModelClient(ident: $0, model: base) }
  }

  mutating func perform(_ step: SyncTrace.Step) throws {
    switch step {
    case .write(let client, let instructions, let time): clients[client].write(instructions, time: time)
    case .upload(let client):
      if let upload = clients[client].nextUpload() { try server.integrate(upload) }
    case .download(let client, let limit):
      try clients[client].download(server.streams[clients[client].ident] ?? [], limit: limit)
    }
  }

  /// Uploads everything, then downloads everything.
  mutating func synchronize() throws {
    for client in clients.indices {
      while !clients[client].uploads.isEmpty { try perform(.upload(client: client)) }
    }
    for client in clients.indices { try perform(.download(client: client, limit: .max)) }
  }

  /// How the first client differs from the server that does.
  var difference: String? {
    let state = server.model.state
    for client in clients {
      if let difference = client.model.state.difference(from: state) {
        return "client \(client.ident): \(difference)"
      }
    }
    return nil
  }
}
