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

  /// A line as clients of this make are told it: peers get the reasons of rejected writes without what is for clients of
  /// FlexSync only.
  func told(_ line: String) -> String {
    guard case .peer = self, let end = line.firstRange(of: " not allowed; field ") else { return line }
    return "\(line[..<end.lowerBound]) not allowed"
  }

  /// - Parameter user: who logs in, for clients of FlexSync; by default one who is called like the device.
  func participant(
    _ name: String,
    user: String? = nil,
    server: SyncServer,
    folder: String
  ) throws -> any Participant {
    switch self {
    case .flexSync(_, let driver):
      try FlexSyncParticipant(
        name,
        user: user,
        executable: driver,
        increments: true,
        server: server,
        folder: folder
      )
    case .peer(let program):
      try PeerParticipant(name, executable: program, increments: false, server: server, folder: folder)
    }
  }
}
