// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension RealmConfiguration {
  /// Reads a C caller's configuration and takes over its userdata, even if anything else is wrong with it.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT, UNSUPPORTED.
  init(_ pointer: UnsafePointer<flx_realm_config_t>, function: StaticString = #function) throws {
    let callbacks = ConfiguredCallbacks(pointer)
    let config = try Self.copy(pointer)
    user = config.user.map { Handle.object($0, as: User.self, function: function) }
    (location, isDefaultLocation) = try Self.location(config, user)
    initialSubscriptions = Self.initialSubscriptions(config, callbacks.initialSubscriptions)
    startsSuspended = config.starts_suspended
    classes = try Self.classes(config)
    clientReset = try ClientResetConfiguration(config, callbacks.clientReset)
    refusesUnsubscribedObjects = config.refuse_unsubscribed_objects
    changesThreadInWrite = config.may_change_thread_in_write
    isReadOnly = config.read_only
    schemaMode = try SchemaMode(config)
    if user != nil { syncedSchemaVersion = config.schema_version }
    migration = Self.migration(config, callbacks.migration)
    shouldCompact = Self.shouldCompact(config, callbacks.shouldCompact)
    let seed = try config.seed_path.text("The path of a seed file")
    if !seed.isEmpty { seedPath = seed }
    if config.maximum_active_versions > 0 {
      maximumActiveVersions = Int(clamping: config.maximum_active_versions)
    }
    failsOpeningAtFirstError = config.fail_opening_at_first_error
    if let callback = config.open_progress {
      let userdata = callbacks.openProgress
      openProgress = { $0.report(to: callback, userdata) }
    }
    if config.rejected_write_limit > 0 { rejectedWriteLimits.count = Int(config.rejected_write_limit) }
  }

  private static func initialSubscriptions(_ config: flx_realm_config_t, _ userdata: Userdata)
    -> InitialSubscriptions?
  {
    guard let callback = config.initial_subscriptions else { return nil }
    return InitialSubscriptions(
      fill: { realm, update in
        try CoreError.throwing(from: "flx_initial_subscriptions_t") { error in
          Handle.lend(realm, to: "flx_initial_subscriptions_t") { realm in
            Handle.lend(update, to: "flx_initial_subscriptions_t") { update in
              callback(userdata.pointer, realm, update, error)
            }
          }
        }
      },
      reruns: config.rerun_initial_subscriptions
    )
  }

  private static func shouldCompact(_ config: flx_realm_config_t, _ userdata: Userdata) -> (
    (UInt64, UInt64) -> Bool
  )? {
    guard let callback = config.should_compact else { return nil }
    return { callback(userdata.pointer, $0, $1) }
  }

  /// Reads the location and the user alone. The userdata stays with the caller, since no callback is ever called.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT.
  init(placeIn pointer: UnsafePointer<flx_realm_config_t>, function: StaticString = #function) throws {
    let config = try Self.copy(pointer)
    user = config.user.map { Handle.object($0, as: User.self, function: function) }
    (location, isDefaultLocation) = try Self.location(config, user)
    classes = []
  }

  /// Returns the location of a configuration. The userdata stays with the caller, since no callback is ever called.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT.
  static func location(
    _ pointer: UnsafePointer<flx_realm_config_t>,
    function: StaticString = #function
  ) throws -> Location {
    let config = try copy(pointer)
    let user = config.user.map { Handle.object($0, as: User.self, function: function) }
    return try location(config, user).location
  }

  /// Frees the userdata for a function that takes it over but cannot continue because another argument is null.
  static func giveBackUserdata(of config: UnsafePointer<flx_realm_config_t>, ifNull argument: Needed) {
    if argument.isNull, !Needed(config, "config").isNull { _ = ConfiguredCallbacks(config) }
  }

  fileprivate static func copy(_ pointer: UnsafePointer<flx_realm_config_t>) throws -> flx_realm_config_t {
    try SizedStruct.copy(
      pointer,
      zeroed: flx_realm_config_t(),
      smallest: smallestSize,
      name: "flx_realm_config_t"
    )
  }

  /// The smallest valid size: a configuration gives at least the location and the classes.
  fileprivate static let smallestSize =
    MemoryLayout<flx_realm_config_t>.offset(of: \.initial_subscriptions) ?? 0

  private static func classes(_ config: flx_realm_config_t) throws -> [DeclaredClass] {
    let classes = try CArray.view(config.classes, count: config.class_count, "classes")
    let declared = try classes.map(DeclaredClass.init)
    try SchemaDeclaration.check(declared, isSynced: config.user != nil)
    return declared
  }

  private static func location(_ config: flx_realm_config_t, _ user: User?) throws
    -> (location: Location, isDefault: Bool)
  {
    let path = try config.path.text("The path of a realm")
    let name = try config.in_memory_name.text("The in-memory name of a realm")
    guard path.isEmpty || name.isEmpty else {
      throw CoreError.invalidArgument(
        "A realm is stored either in a file or in memory: set path or in_memory_name, not both."
      )
    }
    guard !path.utf8.contains(0) else {
      throw CoreError.invalidArgument("The path of a realm must not contain a zero byte.")
    }
    guard path.utf8.last != UInt8(ascii: "/") else {
      throw CoreError.invalidArgument("The path of a realm must name a file, but '\(path)' names a folder.")
    }
    if !name.isEmpty { return (.memory(name), false) }
    if !path.isEmpty { return (.file(path), false) }
    guard let user else {
      throw CoreError.invalidArgument("A local realm needs a path or an in_memory_name.")
    }
    return (.file(user.defaultRealmPath), true)
  }
}

/// The userdata of the callbacks in a configuration, taken over from the caller.
private struct ConfiguredCallbacks {
  let initialSubscriptions: Userdata
  let clientReset: Userdata
  let migration: Userdata
  let shouldCompact: Userdata
  let openProgress: Userdata

  init(_ pointer: UnsafePointer<flx_realm_config_t>) {
    // A caller who forgot the size has still filled in the other fields, which every version of the structure has.
    let config = (try? RealmConfiguration.copy(pointer)) ?? pointer.pointee
    initialSubscriptions = Userdata(
      config.initial_subscriptions_userdata,
      config.free_initial_subscriptions_userdata
    )
    clientReset = Userdata(config.client_reset_userdata, config.free_client_reset_userdata)
    migration = Userdata(config.migration_userdata, config.free_migration_userdata)
    shouldCompact = Userdata(config.should_compact_userdata, config.free_should_compact_userdata)
    openProgress = Userdata(config.open_progress_userdata, config.free_open_progress_userdata)
  }
}
