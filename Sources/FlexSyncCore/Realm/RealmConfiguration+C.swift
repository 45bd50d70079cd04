// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension RealmConfiguration {
  /// Reads the configuration of a C caller, whose userdata it takes over.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT, UNSUPPORTED.
  init(_ config: UnsafePointer<flx_realm_config_t>) throws {
    try self.init(config, readsClasses: true)
  }

  /// Where the data of a configuration are. Takes over its userdata.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT.
  static func location(_ config: UnsafePointer<flx_realm_config_t>) throws -> Location {
    try RealmConfiguration(config, readsClasses: false).location
  }

  private init(_ config: UnsafePointer<flx_realm_config_t>, readsClasses: Bool) throws {
    let config = try SizedStruct.copy(config, zeroed: flx_realm_config_t(), name: "flx_realm_config_t")
    let userdata = Userdata(
      config.initial_subscriptions_userdata,
      free: config.free_initial_subscriptions_userdata
    )
    let resetUserdata = Userdata(
      config.client_reset_userdata,
      free: config.free_client_reset_userdata
    )
    user = config.user.map { Handle.object($0, as: User.self) }
    (location, isDefaultLocation) = try Self.location(config, user)
    initialSubscriptions = config.initial_subscriptions.map {
      InitialSubscriptions(callback: $0, userdata: userdata, reruns: config.rerun_initial_subscriptions)
    }
    startsSuspended = config.starts_suspended
    classes = readsClasses ? try Self.classes(config) : []
    clientReset = try ClientResetConfiguration(config, resetUserdata)
    refusesUnsubscribedObjects = config.refuse_unsubscribed_objects
    if config.rejected_write_limit > 0 { rejectedWriteLimits.count = Int(config.rejected_write_limit) }
  }

  private static func classes(_ config: flx_realm_config_t) throws -> [DeclaredClass] {
    let classes = try CArray.view(config.classes, count: config.class_count, "classes")
    return try SchemaDeclaration.read(classes, isSynced: config.user != nil)
  }

  private static func location(
    _ config: flx_realm_config_t,
    _ user: User?
  ) throws -> (Location, isDefault: Bool) {
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
    if !name.isEmpty { return (.memory(name), false) }
    if !path.isEmpty { return (.file(path), false) }
    guard let user else {
      throw CoreError.invalidArgument("A local realm needs a path or an in_memory_name.")
    }
    return (.file(user.defaultRealmPath), true)
  }
}
