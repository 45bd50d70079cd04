// SPDX-License-Identifier: Apache-2.0

/// A process with a disk of its own, which a plan can kill.
protocol SimulatedMachine: AnyObject {
  var disk: SimulatedDisk { get }
  var isRunning: Bool { get }
  /// Called when the disk has ended the process in the middle of an operation.
  var onDeath: (() -> Void)? { get }
  /// Removes the process, whose disk has crashed.
  func end()
}

extension SimulatedMachine {
  /// Ends the process immediately.
  func crash(_ crash: SimulatedDisk.Crash) {
    disk.crash(crash)
    end()
  }

  /// Ends the process if the disk has crashed in the middle of one of its operations.
  func buryIfDead() {
    guard isRunning, disk.isCrashed else { return }
    end()
    onDeath?()
  }
}
