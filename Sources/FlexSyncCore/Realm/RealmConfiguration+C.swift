// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension RealmConfiguration {
  /// Reads the configuration of a C caller.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT, UNSUPPORTED.
  init(_ config: UnsafePointer<flx_realm_config_t>) throws {
    let config = try Self.copy(config)
    location = try Self.location(config)
    guard config.classes != nil || config.class_count == 0 else {
      throw CoreError.invalidArgument(
        "flx_realm_config_t has \(config.class_count) classes, but their address is NULL."
      )
    }
    let classes = UnsafeBufferPointer(start: config.classes, count: config.class_count)
    self.classes = try SchemaDeclaration.read(classes, isSynced: config.user != nil)
  }

  /// Where the data of a configuration are.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT.
  static func location(_ config: UnsafePointer<flx_realm_config_t>) throws -> Location {
    try location(copy(config))
  }

  private static func copy(_ config: UnsafePointer<flx_realm_config_t>) throws -> flx_realm_config_t {
    try SizedStruct.copy(config, zeroed: flx_realm_config_t(), name: "flx_realm_config_t")
  }

  private static func location(_ config: flx_realm_config_t) throws -> Location {
    let path = try config.path.text("The path of a realm")
    let name = try config.in_memory_name.text("The in-memory name of a realm")
    guard path.isEmpty || name.isEmpty else {
      throw CoreError.invalidArgument(
        "A realm is in a file or in memory: give path or in_memory_name, not both."
      )
    }
    guard !path.utf8.contains(0) else {
      throw CoreError.invalidArgument("The path of a realm must not contain a zero byte.")
    }
    if !name.isEmpty { return .memory(name) }
    guard !path.isEmpty else {
      throw CoreError.invalidArgument("A local realm needs a path or an in_memory_name.")
    }
    return .file(path)
  }
}
