// SPDX-License-Identifier: Apache-2.0

/// Registers this device for the push messages of a service of the app, such as "gcm".
///
/// The server decides whether it has such a service; `flexsyncd` has none, and answers with an `AppError`. Each request
/// has two forms: one is asynchronous and throws, the other takes a completion, which is called on a background thread.
public struct PushClient: Sendable {
  public typealias Completion = @Sendable ((any Error)?) -> Void

  public let serviceName: String

  /// Registers this device for push messages to a user.
  ///
  /// - Parameter token: the registration token from the platform's push service.
  public func registerDevice(token: String, user: User) async throws {
    try await awaitCompletion(isolation: nil) { user.handle.startRegistering(serviceName, token, $0) }
  }

  public func registerDevice(token: String, user: User, completion: @escaping Completion) {
    startOperation(completion) { user.handle.startRegistering(serviceName, token, $0) }
  }

  /// Ends the registration of this device.
  public func deregisterDevice(user: User) async throws {
    try await awaitCompletion(isolation: nil) { user.handle.startRegistering(serviceName, "", $0) }
  }

  public func deregisterDevice(user: User, completion: @escaping Completion) {
    startOperation(completion) { user.handle.startRegistering(serviceName, "", $0) }
  }
}
