// SPDX-License-Identifier: Apache-2.0

/// The aliases that a language binding offers its users for properties and classes (QueryLanguage §8).
public struct KeyPathMapping: Hashable, Sendable {
  private struct Alias: Hashable {
    let className: String
    let name: String
  }

  private var paths: [Alias: String] = [:]
  private var classNames: [String: String] = [:]

  public init() {}

  public var isEmpty: Bool { paths.isEmpty && classNames.isEmpty }

  /// Defines `alias` as a key path in queries on objects of `className`. The key path may itself contain aliases.
  public mutating func add(_ alias: String, of className: String, for path: String) {
    paths[Alias(className: className, name: alias)] = path
  }

  /// Defines `alias` as the name of a class after `@links` and in `obj()`.
  public mutating func add(className: String, as alias: String) { classNames[alias] = className }

  func path(_ name: String, of className: String) -> String? {
    paths.isEmpty ? nil : paths[Alias(className: className, name: name)]
  }

  func className(_ name: String) -> String { classNames[name] ?? name }

  /// The maximum number of substitutions in a key path. A path that needs more is circular.
  static let maximumSubstitutions = 50
}
