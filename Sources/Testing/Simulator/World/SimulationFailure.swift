// SPDX-License-Identifier: Apache-2.0

/// What a simulation found wrong.
package struct SimulationFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
