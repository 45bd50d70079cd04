// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A client whose file comes from another server.
protocol MovingDevice: Participant {
  /// Starts the process, logs in although somebody may have been logged in before, and opens the file of before.
  func goOn() throws
}

extension FlexSyncParticipant: MovingDevice {
  func goOn() throws {
    try startProcess()
    try play(["do": "login", "user": .string(name), "with": "password"], expecting: "\(name) logged in")
    try open()
  }
}

extension PeerParticipant: MovingDevice {
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
