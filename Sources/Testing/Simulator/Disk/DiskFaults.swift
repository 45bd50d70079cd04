// SPDX-License-Identifier: Apache-2.0

/// The faults that the owner of a disk has planned.
struct DiskFaults {
  private struct Fault {
    /// The kind of operation; nil for all kinds.
    let operation: DiskOperation?
    var countdown: Int
    var repetitions: Int
  }

  private var faults: [Fault] = []
  private var crash: (kind: SimulatedDisk.Crash, countdown: Int)?

  mutating func fail(_ operation: DiskOperation?, number: Int, repetitions: Int) {
    faults.append(Fault(operation: operation, countdown: number, repetitions: repetitions))
  }

  mutating func planCrash(_ kind: SimulatedDisk.Crash, change number: Int) { crash = (kind, number) }

  mutating func clear() { self = DiskFaults() }

  /// Counts an operation and returns whether it must fail.
  mutating func strikes(_ operation: DiskOperation) -> Bool {
    var strikes = false
    for index in faults.indices where faults[index].operation.map({ $0 == operation }) ?? true {
      if faults[index].countdown > 1 {
        faults[index].countdown -= 1
      } else if faults[index].repetitions > 0 {
        faults[index].repetitions -= 1
        strikes = true
      }
    }
    return strikes
  }

  /// Counts a modifying operation and returns the crash that happens during it, if any.
  mutating func crashDuringChange() -> SimulatedDisk.Crash? {
    guard let planned = crash else { return nil }
    crash = planned.countdown > 1 ? (planned.kind, planned.countdown - 1) : nil
    return planned.countdown > 1 ? nil : planned.kind
  }
}
