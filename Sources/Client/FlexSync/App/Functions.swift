// SPDX-License-Identifier: Apache-2.0

/// The functions of an app, called as a user: `try await user.functions.sum(1, 2)`.
///
/// The server runs them, if it has them; `flexsyncd` answers with an `AppError` of code `functionNotFound`. Besides the
/// asynchronous form, a function has two that take an array of arguments and a completion, which is called on a
/// background thread: `user.functions.sum([1, 2]) { result in … }`.
@dynamicMemberLookup
public struct Functions: Sendable {
  /// Receives the result of a function or an error.
  public typealias FunctionCompletionHandler = @Sendable (AnyBSON?, (any Error)?) -> Void
  /// A function with a completion of two parameters.
  public typealias Function = @Sendable ([AnyBSON], @escaping FunctionCompletionHandler) -> Void
  /// Receives the result of a function.
  public typealias ResultFunctionCompletionHandler = @Sendable (Result<AnyBSON, any Error>) -> Void
  /// A function with a completion of one parameter.
  public typealias ResultFunction = @Sendable ([AnyBSON], @escaping ResultFunctionCompletionHandler) -> Void

  let user: User

  public subscript(dynamicMember name: String) -> Function {
    { [user] arguments, completion in
      user.callFunction(named: name, arguments) { result in
        switch result {
        case .success(let value): completion(value, nil)
        case .failure(let error): completion(nil, error)
        }
      }
    }
  }

  public subscript(dynamicMember name: String) -> ResultFunction {
    { [user] arguments, completion in user.callFunction(named: name, arguments, completion) }
  }

  public subscript(dynamicMember name: String) -> FunctionCallable {
    FunctionCallable(name: name, user: user)
  }
}

/// A function of an app, to be called like a Swift function.
@dynamicCallable
public struct FunctionCallable: Sendable {
  package let name: String
  package let user: User

  /// Calls the function.
  ///
  /// - Throws: `AppError`, with code `functionNotFound` or `functionExecutionError` for example.
  public func dynamicallyCall(withArguments arguments: [AnyBSON]) async throws -> AnyBSON {
    try await awaitResult { user.callFunction(named: name, arguments, $0) }
  }
}

extension User {
  /// The functions of the app, called as this user.
  public var functions: Functions { Functions(user: self) }

  /// Calls a function of the app. A function that returns nothing gives `null`.
  package func callFunction(
    named name: String,
    _ arguments: [AnyBSON],
    _ completion: @escaping Functions.ResultFunctionCompletionHandler
  ) {
    handle.call(name, ExtendedJSON.text(arguments), service: nil) { result in
      completion(result.flatMap { text in Result { try ExtendedJSON.value(text) ?? .null } })
    }
  }
}
