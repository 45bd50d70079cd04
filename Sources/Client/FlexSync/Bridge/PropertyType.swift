// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The meaning of a Swift property type in the schema.
public struct _PropertyType {
  let type: flx_type_t
  var isNullable = false
  fileprivate(set) var collection = flx_collection_t.FLX_COLLECTION_NONE
  /// The target class of a link; nil in the schema of dynamic objects, which has only its name.
  fileprivate(set) var linkTarget: ObjectBase.Type?
  /// The name of the target class of a link in the schema of dynamic objects.
  fileprivate(set) var dynamicTarget: String?

  static var bool: _PropertyType { _PropertyType(type: .FLX_TYPE_BOOL) }
  static var int: _PropertyType { _PropertyType(type: .FLX_TYPE_INT) }
  static var float: _PropertyType { _PropertyType(type: .FLX_TYPE_FLOAT) }
  static var double: _PropertyType { _PropertyType(type: .FLX_TYPE_DOUBLE) }
  static var string: _PropertyType { _PropertyType(type: .FLX_TYPE_STRING) }
  static var data: _PropertyType { _PropertyType(type: .FLX_TYPE_BINARY) }
  static var date: _PropertyType { _PropertyType(type: .FLX_TYPE_TIMESTAMP) }
  static var objectId: _PropertyType { _PropertyType(type: .FLX_TYPE_OBJECT_ID) }
  static var decimal: _PropertyType { _PropertyType(type: .FLX_TYPE_DECIMAL) }
  static var uuid: _PropertyType { _PropertyType(type: .FLX_TYPE_UUID) }
  static var mixed: _PropertyType { _PropertyType(type: .FLX_TYPE_MIXED, isNullable: true) }

  static func link(to target: ObjectBase.Type) -> _PropertyType {
    _PropertyType(type: .FLX_TYPE_LINK, linkTarget: target)
  }

  /// The type of a property of dynamic objects.
  init(_ info: flx_property_info_t) {
    type = info.type
    isNullable = info.is_nullable
    collection = info.collection
    dynamicTarget = info.type == .FLX_TYPE_LINK ? String(info.link_target) : nil
  }

  private init(type: flx_type_t, isNullable: Bool = false, linkTarget: ObjectBase.Type? = nil) {
    self.type = type
    self.isNullable = isNullable
    self.linkTarget = linkTarget
  }

  /// Whether the values are objects that live inside others.
  var isEmbedded: Bool { linkTarget is EmbeddedObject.Type }

  /// The type of a collection of such values.
  func collected(in kind: CollectionKind) -> _PropertyType {
    var type = self
    type.collection = kind.flex
    return type
  }
}

/// The key of a property in an open realm.
@frozen public struct _PropertyKey: Equatable {
  @usableFromInline let flex: flx_property_key_t

  init(_ flex: flx_property_key_t) { self.flex = flex }

  /// For linking objects, which the schema does not have: their position in the class.
  init(position: Int) { flex = flx_property_key_t(position) }

  var position: Int { Int(flex) }
}
