// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A client whose file comes from another server.
protocol MovingDevice: Participant {
  /// Goes on as the user who is logged in, whom the new server does not let in.
  func tryWithLoginOfBefore() throws

  /// Starts the process, logs in again, and opens the file of before.
  func goOn() throws
}

extension FlexSyncParticipant: MovingDevice {
  func tryWithLoginOfBefore() throws {
    try startProcess()
    try open()
    try play(["do": "sync"], expecting: "failed: ")
    kill()
  }

  func goOn() throws {
    try startProcess()
    try play(["do": "login", "user": .string(name), "with": "password"], expecting: "\(name) logged in")
    try open()
  }
}

extension PeerParticipant: MovingDevice {
  func tryWithLoginOfBefore() throws {
    try start(["--cached-user"])
    guard (try? synchronize()) == nil else {
      throw InteropError("\(name) goes on with the login of the old server")
    }
    kill()
  }

  func goOn() throws { try start() }
}

extension ClientMake {
  /// The device of which a cut-over tells; it recovers in a client reset.
  func movingDevice(server: any SyncAddress, folder: String) throws -> any MovingDevice {
    let name = "device"
    switch self {
    case .flexSync(_, let driver):
      let device = try FlexSyncParticipant(
        name,
        executable: driver,
        increments: false,
        server: server,
        folder: folder
      )
      device.recovers = true
      return device
    case .peer(let program):
      let device = try PeerParticipant(
        name,
        executable: program,
        increments: false,
        server: server,
        folder: folder
      )
      device.isApp = true
      return device
    }
  }
}
