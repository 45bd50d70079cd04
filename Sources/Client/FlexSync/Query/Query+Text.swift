// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Options for comparing strings.
public struct StringOptions: OptionSet, Sendable {
  public let rawValue: Int
  /// Ignores case: `[c]`.
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// Ignores diacritics: `[d]`. The query language of subscriptions cannot express this, so such a subscription is
  /// rejected.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)

  public init(rawValue: Int) { self.rawValue = rawValue }

  fileprivate var suffix: String {
    let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

/// A type that supports the string operators.
public protocol _QueryString: RealmCollectionValue {}

extension String: _QueryString {}
extension Optional: _QueryString where Wrapped: _QueryString {}

/// A type that supports the operators for bytes.
public protocol _QueryBinary: RealmCollectionValue {}

extension Data: _QueryBinary {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}

extension Query where T: _QueryString {
  private func matched(_ symbol: String, _ options: StringOptions, _ value: T) -> Query<Bool> {
    compared(symbol + options.suffix, value)
  }

  private func matched<Other>(_ symbol: String, _ options: StringOptions, _ other: Query<Other>) -> Query<
    Bool
  > {
    compared(symbol + options.suffix, other.node)
  }

  /// Whether the text contains the given text.
  public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
    matched("CONTAINS", options, value)
  }

  /// Whether the text contains that of another property.
  public func contains<Other: _QueryString>(_ other: Query<Other>, options: StringOptions = []) -> Query<Bool>
  {
    matched("CONTAINS", options, other)
  }

  /// Whether the text begins with the given text.
  public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
    matched("BEGINSWITH", options, value)
  }

  /// Whether the text begins with that of another property.
  public func starts<Other: _QueryString>(with other: Query<Other>, options: StringOptions = []) -> Query<
    Bool
  > {
    matched("BEGINSWITH", options, other)
  }

  /// Whether the text ends with the given text.
  public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
    matched("ENDSWITH", options, value)
  }

  /// Whether the text ends with that of another property.
  public func ends<Other: _QueryString>(with other: Query<Other>, options: StringOptions = []) -> Query<Bool>
  {
    matched("ENDSWITH", options, other)
  }

  /// Whether the text matches a pattern in which `?` stands for one character and `*` for any number of characters.
  public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
    matched("LIKE", caseInsensitive ? .caseInsensitive : [], value)
  }

  /// Whether the text matches the pattern in another property.
  public func like<Other: _QueryString>(_ other: Query<Other>, caseInsensitive: Bool = false) -> Query<Bool> {
    matched("LIKE", caseInsensitive ? .caseInsensitive : [], other)
  }

  /// Whether the text equals the given text.
  public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> { matched("==", options, value) }

  /// Whether the text equals that of another property.
  public func equals<Other: _QueryString>(_ other: Query<Other>, options: StringOptions = []) -> Query<Bool> {
    matched("==", options, other)
  }

  /// Whether the text differs from the given text.
  public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    matched("!=", options, value)
  }

  /// Whether the text differs from that of another property.
  public func notEquals<Other: _QueryString>(_ other: Query<Other>, options: StringOptions = []) -> Query<
    Bool
  > {
    matched("!=", options, other)
  }
}

extension Query where T: _QueryBinary {
  /// Whether the bytes contain the given bytes.
  public func contains(_ value: T) -> Query<Bool> { compared("CONTAINS", value) }
  /// Whether the bytes contain those of another property.
  public func contains<Other: _QueryBinary>(_ other: Query<Other>) -> Query<Bool> {
    compared("CONTAINS", other.node)
  }
  /// Whether the bytes begin with the given bytes.
  public func starts(with value: T) -> Query<Bool> { compared("BEGINSWITH", value) }
  /// Whether the bytes begin with those of another property.
  public func starts<Other: _QueryBinary>(with other: Query<Other>) -> Query<Bool> {
    compared("BEGINSWITH", other.node)
  }
  /// Whether the bytes end with the given bytes.
  public func ends(with value: T) -> Query<Bool> { compared("ENDSWITH", value) }
  /// Whether the bytes end with those of another property.
  public func ends<Other: _QueryBinary>(with other: Query<Other>) -> Query<Bool> {
    compared("ENDSWITH", other.node)
  }
  /// Whether the bytes equal the given bytes.
  public func equals(_ value: T) -> Query<Bool> { compared("==", value) }
  /// Whether the bytes differ from the given bytes.
  public func notEquals(_ value: T) -> Query<Bool> { compared("!=", value) }
}
