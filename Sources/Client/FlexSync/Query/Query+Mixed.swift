// SPDX-License-Identifier: Apache-2.0

extension AnyRealmValue: _QueryNumeric {}

/// Collections nested in a value of any type.
extension Query where T == AnyRealmValue {
  /// The element of a list at an index; nothing if the value is no list or too short.
  public subscript(index: Int) -> Query<AnyRealmValue> { Query(node.appending(.mixedElement(index))) }

  /// The value of a dictionary's key; nothing if the value is no dictionary or has no such key.
  public subscript(key: String) -> Query<AnyRealmValue> { Query(node.appending(.mixedElement(key))) }

  /// All elements of a list or values of a dictionary; a comparison with them asks whether any of them satisfies it.
  public var any: Query<AnyRealmValue> { Query(node.appending(.anyElement)) }
}
