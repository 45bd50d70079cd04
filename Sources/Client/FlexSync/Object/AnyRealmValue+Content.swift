// SPDX-License-Identifier: Apache-2.0

extension AnyRealmValue {
  /// The object as one whose properties are accessed by name; nil for a value of another type. Use it if the program
  /// may not have the class. An object that is in no realm has no such form.
  public var dynamicObject: DynamicObject? {
    guard case .object(let object) = self else { return nil }
    return object._managed.map { $0.realm.dynamicObject($0) }
  }

  /// The value without its type; nil if it is empty.
  var content: Any? {
    switch self {
    case .none: nil
    case .int(let value): value
    case .bool(let value): value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .object(let value): value
    case .objectId(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    case .dictionary(let value): value
    case .list(let value): value
    }
  }
}
