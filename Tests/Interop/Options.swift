// SPDX-License-Identifier: Apache-2.0

/// The command line.
struct Options {
  var server = ""
  var app = ""
  var driverC = ""
  var driverSwift = ""
  var folder = ""
  var peer: String?
  var peerKnowsAll = false
  var leavesNothingOut = false
  /// Devices that move to another server, instead of rounds.
  var playsCutover = false
  /// Instead of rounds.
  var scenario: String?
  var recordsScenario = false
  var rounds = 30
  var seed: UInt64 = 1

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--peer-knows-all-classes": peerKnowsAll = true
      case "--leave-nothing-out": leavesNothingOut = true
      case "--record": recordsScenario = true
      case "--cutover": playsCutover = true
      default:
        guard let value = rest.popFirst() else { throw InteropError("'\(option)' needs a value") }
        try take(option, value)
      }
    }
  }

  private mutating func take(_ option: String, _ value: String) throws {
    switch option {
    case "--server": server = value
    case "--app": app = value
    case "--driver-c": driverC = value
    case "--driver-swift": driverSwift = value
    case "--folder": folder = value
    case "--peer": peer = value
    case "--scenario": scenario = value
    case "--rounds": rounds = try number(option, value)
    case "--seed": seed = try number(option, value)
    default: throw InteropError("unknown option '\(option)'")
    }
  }

  private func number<Number: FixedWidthInteger>(_ option: String, _ value: String) throws -> Number {
    guard let number = Number(value) else { throw InteropError("'\(value)' is no number for '\(option)'") }
    return number
  }
}
