// SPDX-License-Identifier: Apache-2.0

extension AnyRealmValue: _QueryNumeric {}

/// Collections nested in a value of any type.
extension Query where T == AnyRealmValue {
  /// The element at an index of a list; nothing if the value is not a list or the list is too short.
  public subscript(index: Int) -> Query<AnyRealmValue> { Query(node.appending(.mixedElement(index))) }

  /// The value of a key of a dictionary; nothing if the value is not a dictionary or has no such key.
  public subscript(key: String) -> Query<AnyRealmValue> { Query(node.appending(.mixedElement(key))) }

  /// All elements of a list or values of a dictionary. A comparison with them is true if any of them satisfies it.
  public var any: Query<AnyRealmValue> { Query(node.appending(.anyElement)) }
}
