// SPDX-License-Identifier: Apache-2.0

/// A failure found by a simulation.
package struct SimulationFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
