// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A client with its own file, in its own process.
protocol Participant: AnyObject {
  var name: String { get }
  /// Whether its changes of integers add up with those of others. If not it sets the sum.
  var increments: Bool { get }

  /// Starts the process, logs in, and opens the file of this client.
  func start() throws
  /// `kill -9`.
  func kill()
  /// Subscribes to all objects of classes and waits for them.
  func subscribe(to classes: [String]) throws

  func suspend() throws
  func resume() throws

  func begin() throws
  func commit() throws
  /// The objects of a class; within a transaction those that it sees.
  func objects(of className: String) throws -> [JSON]
  /// Makes a change, in the form of Tests/Conformance, within a transaction.
  func apply(_ change: JSON) throws

  /// Waits until all of its changes are with the server, and it has all that the server had then.
  func synchronize() throws

  /// Does a step of a scenario, and tells what came of it as Tests/Conformance says, without the name of the device.
  func play(_ step: JSON) throws -> [String]
}
