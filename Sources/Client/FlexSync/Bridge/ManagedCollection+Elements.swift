// SPDX-License-Identifier: Apache-2.0

import CFlexSync

// MARK: - Lists

extension ManagedCollection {
  /// The element of a list or set at an index.
  func element(at index: Int) -> _Value {
    var value = flx_value_t()
    trapOnFailure { error in
      kind == .list ? flx_list_get(pointer, index, &value, error) : flx_set_get(pointer, index, &value, error)
    }
    return _Value(value)
  }

  /// The element of a list or set at an index; nil if there are not as many.
  func elementIfAny(at index: Int) -> _Value? {
    var value = flx_value_t()
    let status =
      kind == .list ? flx_list_get(pointer, index, &value, nil) : flx_set_get(pointer, index, &value, nil)
    switch status {
    case .FLX_STATUS_OK: return _Value(value)
    case .FLX_STATUS_INDEX_OUT_OF_BOUNDS: return nil
    default: return element(at: index)
    }
  }

  func embed(_ object: EmbeddedObject, before index: Int) {
    realm.embed(object, in: .insertion(self, index), replacing: nil)
  }

  func embed(_ object: EmbeddedObject, at index: Int, isUpdate: Bool = false) {
    realm.embed(object, in: .element(self, index), replacing: element(at: index), isUpdate: isUpdate)
  }

  func remove(at index: Int) { realm.perform(.collection(kind)) { flx_list_erase(pointer, index, $0) } }

  func move(from: Int, to: Int) {
    realm.perform(.collection(kind)) { flx_list_move(pointer, from, to, $0) }
  }
}

// MARK: - Sets

extension ManagedCollection {
  func index(of value: _Value) -> Int? {
    var index = 0
    value.lend { value in trapOnFailure { flx_set_find(pointer, value, &index, $0) } }
    return index == Int(bitPattern: UInt.max) ? nil : index
  }

  func insert(_ value: _Value) {
    value.lend { value in realm.perform(.collection(kind)) { flx_set_insert(pointer, value, nil, $0) } }
  }

  func remove(_ value: _Value) {
    value.lend { value in realm.perform(.collection(kind)) { flx_set_erase(pointer, value, nil, $0) } }
  }
}

// MARK: - Dictionaries

extension ManagedCollection {
  /// The value of a key; nil if there is none.
  func value(of key: String) -> _Value? {
    var value = flx_value_t()
    var isThere = false
    key.withFlexString { key in trapOnFailure { flx_dictionary_get(pointer, key, &value, &isThere, $0) } }
    return isThere ? _Value(value) : nil
  }

  func entry(at index: Int) -> (key: String, value: _Value) {
    var key = flx_string_t()
    var value = flx_value_t()
    trapOnFailure { flx_dictionary_get_at(pointer, index, &key, &value, $0) }
    return (String(key), _Value(value))
  }

  func embed(_ object: EmbeddedObject, of key: String, isUpdate: Bool = false) {
    realm.embed(object, in: .entry(self, key), replacing: value(of: key), isUpdate: isUpdate)
  }

  func remove(_ key: String) {
    key.withFlexString { key in
      realm.perform(.collection(kind)) { flx_dictionary_erase(pointer, key, nil, $0) }
    }
  }
}
