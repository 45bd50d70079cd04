// SPDX-License-Identifier: Apache-2.0

/// Other names under which a language binding lets its users write properties and classes (QueryLanguage §8).
public struct KeyPathMapping: Hashable, Sendable {
  private struct Alias: Hashable {
    let className: String
    let name: String
  }

  private var paths: [Alias: String] = [:]
  private var classNames: [String: String] = [:]

  public init() {}

  public var isEmpty: Bool { paths.isEmpty && classNames.isEmpty }

  /// In queries on objects of `className`, `alias` stands for a key path, which may contain aliases again.
  public mutating func add(_ alias: String, of className: String, for path: String) {
    paths[Alias(className: className, name: alias)] = path
  }

  /// Behind `@links` and in `obj()`, `alias` stands for a class.
  public mutating func add(className: String, as alias: String) { classNames[alias] = className }

  func path(_ name: String, of className: String) -> String? {
    paths.isEmpty ? nil : paths[Alias(className: className, name: name)]
  }

  func className(_ name: String) -> String { classNames[name] ?? name }

  /// How many names a key path may take from the mapping; one that needs more goes round in circles.
  static let maximumSubstitutions = 50
}
