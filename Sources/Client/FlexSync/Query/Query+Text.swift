// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How string operators compare.
public struct StringOptions: OptionSet, Sendable {
  public let rawValue: Int
  /// Upper and lower case are the same: `[c]`.
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// Letters with and without accents are the same: `[d]`. Realm Query Language cannot express it, so such a query is
  /// refused when it is used.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)

  public init(rawValue: Int) { self.rawValue = rawValue }

  fileprivate var suffix: String {
    let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

/// Types on which the string operators work.
public protocol _QueryString: RealmCollectionValue {}

extension String: _QueryString {}
extension Optional: _QueryString where Wrapped: _QueryString {}

/// Types on which the operators for bytes work.
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

  /// Whether the text contains another.
  public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
    matched("CONTAINS", options, value)
  }

  /// Whether the text contains that of another property.
  public func contains<Other: _QueryString>(_ other: Query<Other>, options: StringOptions = []) -> Query<Bool>
  {
    matched("CONTAINS", options, other)
  }

  /// Whether the text begins with another.
  public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
    matched("BEGINSWITH", options, value)
  }

  /// Whether the text begins with that of another property.
  public func starts<Other: _QueryString>(with other: Query<Other>, options: StringOptions = []) -> Query<
    Bool
  > {
    matched("BEGINSWITH", options, other)
  }

  /// Whether the text ends with another.
  public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
    matched("ENDSWITH", options, value)
  }

  /// Whether the text ends with that of another property.
  public func ends<Other: _QueryString>(with other: Query<Other>, options: StringOptions = []) -> Query<Bool>
  {
    matched("ENDSWITH", options, other)
  }

  /// Whether the text fits a pattern in which `?` stands for one character and `*` for any number.
  public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
    matched("LIKE", caseInsensitive ? .caseInsensitive : [], value)
  }

  /// Whether the text fits the pattern that another property holds.
  public func like<Other: _QueryString>(_ other: Query<Other>, caseInsensitive: Bool = false) -> Query<Bool> {
    matched("LIKE", caseInsensitive ? .caseInsensitive : [], other)
  }

  /// Whether the text equals another.
  public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> { matched("==", options, value) }

  /// Whether the text equals that of another property.
  public func equals<Other: _QueryString>(_ other: Query<Other>, options: StringOptions = []) -> Query<Bool> {
    matched("==", options, other)
  }

  /// Whether the text differs from another.
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
  /// Whether the bytes contain others.
  public func contains(_ value: T) -> Query<Bool> { compared("CONTAINS", value) }
  /// Whether the bytes contain those of another property.
  public func contains<Other: _QueryBinary>(_ other: Query<Other>) -> Query<Bool> {
    compared("CONTAINS", other.node)
  }
  /// Whether the bytes begin with others.
  public func starts(with value: T) -> Query<Bool> { compared("BEGINSWITH", value) }
  /// Whether the bytes begin with those of another property.
  public func starts<Other: _QueryBinary>(with other: Query<Other>) -> Query<Bool> {
    compared("BEGINSWITH", other.node)
  }
  /// Whether the bytes end with others.
  public func ends(with value: T) -> Query<Bool> { compared("ENDSWITH", value) }
  /// Whether the bytes end with those of another property.
  public func ends<Other: _QueryBinary>(with other: Query<Other>) -> Query<Bool> {
    compared("ENDSWITH", other.node)
  }
  /// Whether the bytes equal others.
  public func equals(_ value: T) -> Query<Bool> { compared("==", value) }
  /// Whether the bytes differ from others.
  public func notEquals(_ value: T) -> Query<Bool> { compared("!=", value) }
}
