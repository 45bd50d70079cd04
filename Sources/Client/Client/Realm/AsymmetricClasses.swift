// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The rules for asymmetric classes, whose objects are uploaded but not kept on the device (protocol §10.2).
extension SchemaDeclaration {
  /// - Parameters:
  ///   - classes: the classes being declared.
  ///   - known: further classes that links may point to.
  /// - Throws: `CoreError` INVALID_ARGUMENT, naming the class and, for a link, the property.
  static func checkAsymmetric(_ classes: [ClassSchema], known: Schema, isSynced: Bool) throws {
    let all = Schema(known.classes + classes)
    for classSchema in classes {
      guard classSchema.kind != .asymmetric || isSynced else {
        throw CoreError.invalidArgument("Asymmetric table '\(classSchema.name)' not allowed in a local Realm")
      }
      try checkTargets(of: classSchema, all)
    }
  }

  private static func checkTargets(of classSchema: ClassSchema, _ all: Schema) throws {
    for property in classSchema.properties {
      guard let target = property.linkTarget, all[target]?.kind == .asymmetric else { continue }
      throw CoreError.invalidArgument(
        "Property '\(classSchema.name).\(property.name)' of type '\(property.collection.linkName)' cannot be a link to "
          + "an asymmetric object."
      )
    }
  }
}

extension CollectionKind {
  /// The name of this kind of property in messages about links.
  fileprivate var linkName: String {
    switch self {
    case .single: "object"
    case .list: "array"
    case .set: "set"
    case .dictionary: "dictionary"
    }
  }
}

extension ClassInfo {
  /// - Throws: `CoreError` INVALID_ARGUMENT for an asymmetric class.
  func requireKept() throws {
    guard schema.kind == .asymmetric else { return }
    throw CoreError.invalidArgument(
      "Objects of the asymmetric class '\(name)' are not kept on the device; they can be created, but not queried, "
        + "found or observed."
    )
  }
}
