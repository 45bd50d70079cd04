// SPDX-License-Identifier: Apache-2.0

/// A request to a collection: a function of the service and the members of its only argument.
struct MongoCommand: Sendable {
  let name: String
  private var members: [(name: String, json: String)]

  init(_ name: String, _ collection: MongoCollection) {
    self.name = name
    members = []
    set("database", .string(collection.database.name))
    set("collection", .string(collection.name))
  }

  mutating func set(_ name: String, _ value: AnyBSON) { members.append((name, ExtendedJSON.text(value))) }

  /// Sets a member unless it is nil or empty.
  mutating func set(_ name: String, _ document: Document?) {
    if let document { set(name, .document(document)) }
  }

  /// Sets the order of documents. MongoDB wants one document, whose members are in the order of their importance.
  mutating func set(_ name: String, sorting: [Document]) {
    guard !sorting.isEmpty else { return }
    let keys = sorting.flatMap { document in
      document.map { (name: $0.key, json: ExtendedJSON.text($0.value ?? .null)) }
    }
    members.append((name, ExtendedJSON.text(keys)))
  }

  /// The arguments of the function.
  var arguments: String { "[\(ExtendedJSON.text(members))]" }
}

extension MongoCollection {
  /// Sends a command, and passes on what `read` makes of the answer.
  func send<Value: Sendable>(
    _ command: MongoCommand,
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ read: @escaping @Sendable (AnyBSON) -> Value?
  ) {
    let client = database.client
    client.user.handle.call(command.name, command.arguments, service: client.name) { result in
      completion(
        result.flatMap { text in
          Result {
            let answer = try ExtendedJSON.value(text) ?? .null
            if let value = read(answer) { return value }
            throw AppError(badResponse: "the answer to '\(command.name)' was not understood: \(text)")
          }
        }
      )
    }
  }
}

extension AnyBSON {
  /// The value of a member of a document; nil if there is none.
  func member(_ name: String) -> AnyBSON? { documentValue?[name] ?? nil }

  /// The documents of an array.
  var documents: [Document]? { arrayValue?.compactMap { $0?.documentValue } }
}
