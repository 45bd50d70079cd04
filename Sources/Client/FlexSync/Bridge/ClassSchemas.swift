// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension _PropertyType {
  var publicType: PropertyType {
    switch type {
    case .FLX_TYPE_INT: .int
    case .FLX_TYPE_BOOL: .bool
    case .FLX_TYPE_FLOAT: .float
    case .FLX_TYPE_DOUBLE: .double
    case .FLX_TYPE_STRING: .string
    case .FLX_TYPE_BINARY: .data
    case .FLX_TYPE_TIMESTAMP: .date
    case .FLX_TYPE_LINK: .object
    case .FLX_TYPE_OBJECT_ID: .objectId
    case .FLX_TYPE_DECIMAL: .decimal128
    case .FLX_TYPE_UUID: .UUID
    default: .any
    }
  }

  /// The kind of collection; nil for a single value.
  var collectionKind: CollectionKind? {
    switch collection {
    case .FLX_COLLECTION_LIST: .list
    case .FLX_COLLECTION_SET: .set
    case .FLX_COLLECTION_DICTIONARY: .dictionary
    default: nil
    }
  }
}

extension ResultsBox {
  /// The class of the objects.
  var classKey: flx_class_key_t { flx_results_class(pointer) }
}

extension _RealmHandle {
  /// The schemas of all classes of the realm.
  var classSchemas: [ObjectSchema] {
    (0..<flx_realm_class_count(pointer)).map { index in
      var info = flx_class_info_t()
      mustSucceed { flx_realm_class_at(pointer, index, &info, $0) }
      return schema(of: info)
    }
  }

  /// The schema of the class of a dynamic object.
  func schema(of binding: _ClassBinding) -> ObjectSchema {
    var info = flx_class_info_t()
    trapOnFailure { error in
      binding.discovered.name.withFlexString { flx_realm_find_class(pointer, $0, &info, error) }
    }
    return schema(of: info)
  }

  private func schema(of info: flx_class_info_t) -> ObjectSchema {
    if let declared = swiftClass(info.key) { return ObjectSchema(declared) }
    return ObjectSchema(dynamicBinding(info).discovered, kind: info.kind.objectClass)
  }
}

extension flx_class_kind_t {
  fileprivate var objectClass: ObjectBase.Type {
    switch self {
    case .FLX_CLASS_EMBEDDED: EmbeddedObject.self
    case .FLX_CLASS_ASYMMETRIC: AsymmetricObject.self
    default: Object.self
    }
  }
}
