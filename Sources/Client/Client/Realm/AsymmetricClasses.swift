// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The rules of asymmetric classes, whose objects are uploaded and not kept on the device (protocol §10.2).
extension SchemaDeclaration {
  /// - Parameters:
  ///   - classes: what is declared.
  ///   - known: what links may lead to besides.
  /// - Throws: `CoreError` INVALID_ARGUMENT, naming class and property.
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
  /// How messages about links call a property of this kind.
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
