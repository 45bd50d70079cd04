// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Accounts with email and password.
public struct EmailPasswordAuth: Sendable {
  let app: App

  /// Registers an account; it does not log in.
  ///
  /// - Throws: `AppError`, with code `accountNameInUse` if the account exists.
  public func registerUser(email: String, password: String) async throws {
    try await awaitCompletion(isolation: nil) { userdata in
      email.withFlexString { email in
        password.withFlexString { password in
          flx_app_register_email(app.pointer, email, password, callCompletion, userdata, freeCallbackBox)
        }
      }
    }
  }

  /// Registers an account in the background; `completion` is called on a background thread.
  public func registerUser(
    email: String,
    password: String,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let receive: Completion = { completion($0?.publicError) }
    let userdata = CallbackBox<Completion>.retained(receive)
    email.withFlexString { email in
      password.withFlexString { password in
        flx_app_register_email(app.pointer, email, password, callCompletion, userdata, freeCallbackBox)
      }
    }
  }
}
