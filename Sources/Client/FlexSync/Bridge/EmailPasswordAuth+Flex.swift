// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension EmailPasswordAuth {
  /// A function of the C interface and its text arguments.
  struct Request {
    fileprivate let texts: [String]
    fileprivate let start: (OpaquePointer, [flx_string_t], UnsafeMutableRawPointer) -> Void
  }

  func registration(_ email: String, _ password: String) -> Request {
    Request(texts: [email, password]) {
      flx_app_register_email($0, $1[0], $1[1], callCompletion, $2, freeCallbackBox)
    }
  }

  func confirmation(_ token: String, _ tokenID: String) -> Request {
    Request(texts: [token, tokenID]) {
      flx_app_confirm_email($0, $1[0], $1[1], callCompletion, $2, freeCallbackBox)
    }
  }

  func confirmationMail(_ email: String) -> Request {
    Request(texts: [email]) { flx_app_resend_confirmation($0, $1[0], callCompletion, $2, freeCallbackBox) }
  }

  func confirmationFunction(_ email: String) -> Request {
    Request(texts: [email]) {
      flx_app_retry_confirmation_function($0, $1[0], callCompletion, $2, freeCallbackBox)
    }
  }

  func resetMail(_ email: String) -> Request {
    Request(texts: [email]) { flx_app_send_password_reset($0, $1[0], callCompletion, $2, freeCallbackBox) }
  }

  func reset(_ password: String, _ token: String, _ tokenID: String) -> Request {
    Request(texts: [password, token, tokenID]) {
      flx_app_reset_password($0, $1[0], $1[1], $1[2], callCompletion, $2, freeCallbackBox)
    }
  }

  func resetFunction(_ email: String, _ password: String, _ arguments: [AnyBSON]) -> Request {
    Request(texts: [email, password, ExtendedJSON.text(arguments)]) {
      flx_app_call_password_reset_function($0, $1[0], $1[1], $1[2], callCompletion, $2, freeCallbackBox)
    }
  }

  func send(_ request: Request, _ completion: @escaping Completion) {
    startOperation(completion) { start(request, $0) }
  }

  func send(_ request: Request) async throws {
    try await awaitCompletion(isolation: nil) { start(request, $0) }
  }

  private func start(_ request: Request, _ userdata: UnsafeMutableRawPointer) {
    let arena = TextArena()
    let texts = request.texts.map(arena.text)
    withExtendedLifetime(arena) { request.start(app.handle.pointer, texts, userdata) }
  }
}
