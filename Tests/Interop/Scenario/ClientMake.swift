// SPDX-License-Identifier: Apache-2.0

/// Which clients a scenario is played with.
enum ClientMake {
  case flexSync(binding: String, driver: String)
  case peer(program: String)

  /// How its runs are called, in messages and folders.
  var name: String {
    switch self {
    case .flexSync(let binding, _): binding
    case .peer: "peer"
    }
  }

  func participant(_ name: String, server: SyncServer, folder: String) throws -> any Participant {
    switch self {
    case .flexSync(_, let driver):
      try FlexSyncParticipant(name, executable: driver, increments: true, server: server, folder: folder)
    case .peer(let program):
      try PeerParticipant(name, executable: program, increments: false, server: server, folder: folder)
    }
  }
}
