// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
import Combine
#else
import FlexSync
@preconcurrency import OpenCombine
#endif

// The requests of apps and users that take a completion, as futures. A request is sent at once, not when somebody
// subscribes.

extension App {
  /// Logs in and makes the user the current one.
  public func login(credentials: Credentials) -> Future<User, any Error> {
    future { self.login(credentials: credentials, $0) }
  }

  /// Moves the app to a server at another URL, until the end of the process; nil is the default.
  public func updateBaseUrl(to url: String?) -> Future<Void, any Error> {
    futureEnd { self.updateBaseUrl(to: url, $0) }
  }
}

extension EmailPasswordAuth {
  /// Registers an account, without logging in.
  public func registerUser(email: String, password: String) -> Future<Void, any Error> {
    futureEnd { registerUser(email: email, password: password, completion: $0) }
  }

  /// Confirms an account with the token and the token id from the confirmation email.
  public func confirmUser(_ token: String, tokenId: String) -> Future<Void, any Error> {
    futureEnd { confirmUser(token, tokenId: tokenId, completion: $0) }
  }

  /// Asks the server to send the confirmation email again.
  public func resendConfirmationEmail(email: String) -> Future<Void, any Error> {
    futureEnd { resendConfirmationEmail(email, completion: $0) }
  }

  /// Asks the server to call the app's confirmation function again.
  public func retryCustomConfirmation(email: String) -> Future<Void, any Error> {
    futureEnd { retryCustomConfirmation(email, completion: $0) }
  }

  /// Asks the server to send a password reset email.
  public func sendResetPasswordEmail(email: String) -> Future<Void, any Error> {
    futureEnd { sendResetPasswordEmail(email, completion: $0) }
  }

  /// Sets a new password with the token and the token id from a password reset email.
  public func resetPassword(to password: String, token: String, tokenId: String) -> Future<Void, any Error> {
    futureEnd { resetPassword(to: password, token: token, tokenId: tokenId, completion: $0) }
  }

  /// Asks the server to call the app's password reset function.
  public func callResetPasswordFunction(
    email: String,
    password: String,
    args: [AnyBSON]
  ) -> Future<Void, any Error> {
    futureEnd { callResetPasswordFunction(email: email, password: password, args: args, $0) }
  }
}

extension APIKeyAuth {
  /// Creates a key. The result includes its secret, which the server never reveals again.
  public func createAPIKey(named name: String) -> Future<UserAPIKey, any Error> {
    future { createAPIKey(named: name, completion: $0) }
  }

  /// Fetches one key.
  public func fetchAPIKey(_ objectId: ObjectId) -> Future<UserAPIKey, any Error> {
    future { fetchAPIKey(objectId, $0) }
  }

  /// Fetches all keys of the user.
  public func fetchAPIKeys() -> Future<[UserAPIKey], any Error> { future { fetchAPIKeys($0) } }

  /// Allows a key to log in again.
  public func enableAPIKey(_ objectId: ObjectId) -> Future<Void, any Error> {
    futureEnd { enableAPIKey(objectId, completion: $0) }
  }

  /// Prevents a key from logging in until it is enabled again.
  public func disableAPIKey(_ objectId: ObjectId) -> Future<Void, any Error> {
    futureEnd { disableAPIKey(objectId, completion: $0) }
  }

  /// Deletes a key.
  public func deleteAPIKey(_ objectId: ObjectId) -> Future<Void, any Error> {
    futureEnd { deleteAPIKey(objectId, completion: $0) }
  }
}

extension PushClient {
  /// Registers this device for push messages to a user.
  public func registerDevice(token: String, user: User) -> Future<Void, any Error> {
    futureEnd { registerDevice(token: token, user: user, completion: $0) }
  }

  /// Ends the registration of this device.
  public func deregisterDevice(user: User) -> Future<Void, any Error> {
    futureEnd { deregisterDevice(user: user, completion: $0) }
  }
}

extension User {
  /// Adds an identity to the user, who can log in with it from then on.
  public func linkUser(credentials: Credentials) -> Future<User, any Error> {
    future { self.linkUser(credentials: credentials, $0) }
  }

  /// Fetches the newest custom data from the server.
  public func refreshCustomData() -> Future<Document, any Error> { future { self.refreshCustomData($0) } }

  /// Ends the user's sync sessions and discards the tokens.
  public func logOut() -> Future<Void, any Error> { futureEnd { self.logOut($0) } }

  /// Logs the user out and removes the user and the user's default realm files from this device.
  public func remove() -> Future<Void, any Error> { futureEnd { self.remove($0) } }

  /// Deletes the account on the server and removes the user from this device.
  public func delete() -> Future<Void, any Error> { futureEnd { self.delete($0) } }
}

extension FunctionCallable {
  /// Calls the function.
  public func dynamicallyCall(withArguments arguments: [AnyBSON]) -> Future<AnyBSON, any Error> {
    future { user.callFunction(named: name, arguments, $0) }
  }
}

extension SyncSubscriptionSet {
  /// Updates the set: within `block`, call `append`, `remove`, `updateQuery` … The future ends when the data of the new set
  /// is on the device.
  public func updateSubscriptions(_ block: @escaping () -> Void) -> Future<Void, any Error> {
    futureEnd { update(block, onComplete: $0) }
  }
}
