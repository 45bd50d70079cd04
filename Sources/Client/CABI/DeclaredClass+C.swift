// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

extension DeclaredClass {
  /// Reads what a program declares. `SchemaDeclaration` checks the rest.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT, naming the class and the property.
  init(_ info: flx_class_info_t) throws {
    try Reserved.requireZero(info.reserved, of: "flx_class_info_t")
    let name = try info.name.text("The name of a class")
    guard let kind = UInt8(exactly: info.kind.rawValue).flatMap(ClassKind.init(rawValue:)) else {
      throw CoreError.invalidArgument("The class '\(name)' has an unknown kind (\(info.kind.rawValue)).")
    }
    self.init(
      schema: ClassSchema(name: name, kind: kind, primaryKey: nil, properties: []),
      propertyNames: []
    )
    let properties = try CArray.view(info.properties, count: info.property_count, "properties of '\(name)'")
    for property in properties { try add(property) }
  }

  private mutating func add(_ info: flx_property_info_t) throws {
    let property = try PropertySchema(info, of: schema.name)
    propertyNames.append(property.name)
    guard info.is_primary_key else { return schema.properties.append(property) }
    guard schema.primaryKey == nil else {
      throw CoreError.invalidArgument("The class '\(schema.name)' has more than one primary key.")
    }
    schema.primaryKey = property
  }
}

extension PropertySchema {
  fileprivate init(_ info: flx_property_info_t, of className: String) throws {
    try Reserved.requireZero(info.reserved, of: "flx_property_info_t")
    let name = try info.name.text("The name of a property of '\(className)'")
    let place = "'\(className).\(name)'"
    guard let type = UInt8(exactly: info.type.rawValue).flatMap(ValueType.init(rawValue:)) else {
      throw CoreError.invalidArgument("The property \(place) has an unknown type (\(info.type.rawValue)).")
    }
    guard let collection = UInt8(exactly: info.collection.rawValue).flatMap(CollectionKind.init(rawValue:))
    else {
      throw CoreError.invalidArgument(
        "The property \(place) has an unknown collection kind (\(info.collection.rawValue))."
      )
    }
    let target = try info.link_target.text("The link target of \(place)")
    guard (type == .link) == !target.isEmpty else {
      throw CoreError.invalidArgument(
        type == .link
          ? "The property \(place) is a link; name its class in link_target."
          : "The property \(place) is not a link, but has the link target '\(target)'."
      )
    }
    self.init(
      name: name,
      type: type,
      isNullable: Self.isNullable(info.is_nullable, type, collection),
      collection: collection,
      linkTarget: type == .link ? target : nil,
      isIndexed: info.is_indexed
    )
  }

  /// Single links and values in dictionaries of links are always nullable, and so is mixed; links in lists and sets
  /// never are (protocol §10.4).
  private static func isNullable(_ declared: Bool, _ type: ValueType, _ collection: CollectionKind) -> Bool {
    switch type {
    case .link: collection == .single || collection == .dictionary
    case .mixed: true
    default: declared
    }
  }
}
