// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension Realm.OpenBehavior {
  fileprivate var flexMode: flx_open_mode_t {
    switch self {
    case .never: .FLX_OPEN_LOCAL
    case .once: .FLX_OPEN_DOWNLOAD_ONCE
    case .always: .FLX_OPEN_DOWNLOAD_ALWAYS
    }
  }
}

extension Realm.Configuration {
  /// Opens the realm, and returns its handle for the caller to release.
  ///
  /// - Parameter types: the classes of the realm, without those they link to.
  func open(_ types: [ObjectBase.Type]) throws -> OpaquePointer {
    try requireFlexibleSync()
    return try withFlex(types) { config in try makeHandle { flx_realm_open(config, &$0, $1) } }
  }

  /// Opens the realm in the background until `behavior` is satisfied.
  ///
  /// - Parameters:
  ///   - progress: receives the progress of the download, on a background thread.
  ///   - completion: called once, on a background thread, with the error if it fails.
  /// - Throws: `SyncError` for a configuration of partition-based sync; `completion` is then not called.
  func startOpening(
    _ behavior: Realm.OpenBehavior,
    progress: (@Sendable (SyncSession.Progress) -> Void)? = nil,
    _ completion: @escaping @Sendable ((any Error)?) -> Void
  ) throws {
    try requireFlexibleSync()
    let receive: Completion = { completion($0?.openingError) }
    let box = CallbackBox<Completion>.retained(receive)
    withFlex(objectTypes ?? classesOfFile, progress) { config in
      flx_realm_open_async(config, behavior.flexMode, 0, callCompletion, box, freeCallbackBox)
    }
  }

  func deleteFiles() throws -> Bool {
    var wasDeleted = false
    try withLocation { config in try check { flx_realm_delete_files(&config, &wasDeleted, $0) } }
    return wasDeleted
  }

  var fileExists: Bool {
    var exists = false
    // It fails only for a location at which there can be no file.
    return withLocation { config in failure { flx_realm_file_exists(&config, &exists, $0) } } == nil && exists
  }

  /// Passes to `body` a configuration for C with the place of a copy.
  fileprivate func withDestination<Result>(_ body: (UnsafePointer<flx_realm_config_t>) throws -> Result)
    rethrows
    -> Result
  {
    try withLocation { config in try body(&config) }
  }

  /// Passes to `body` a configuration for C with the location of the realm alone. Nothing in it needs to be freed.
  func withLocation<Result>(_ body: (inout flx_realm_config_t) throws -> Result) rethrows -> Result {
    let arena = TextArena()
    var config = flx_realm_config_t()
    config.struct_size = MemoryLayout<flx_realm_config_t>.size
    config.path = arena.text(path)
    config.in_memory_name = arena.text(inMemoryIdentifier ?? "")
    config.seed_path = arena.text(seedFilePath?.path ?? "")
    config.user = syncConfiguration?.user.handle.pointer
    return try withExtendedLifetime((arena, self)) { try body(&config) }
  }

  /// Passes the configuration to `body`, whose C function opens the realm and takes over the closures.
  private func withFlex<Result>(
    _ types: [ObjectBase.Type],
    _ progress: (@Sendable (SyncSession.Progress) -> Void)? = nil,
    _ body: (UnsafePointer<flx_realm_config_t>) throws -> Result
  ) rethrows -> Result {
    try withLocation { config in
      writeOptions(to: &config)
      if let progress {
        config.open_progress = callProgress
        config.open_progress_userdata = CallbackBox<(SyncSession.Progress) -> Void>.retained(progress)
        config.free_open_progress_userdata = freeCallbackBox
      }
      writeSchema(to: &config)
      return try withClassInfos(DiscoveredClass.closure(of: types)) { classes in
        config.classes = classes.baseAddress
        config.class_count = classes.count
        return try body(&config)
      }
    }
  }

  private func writeOptions(to config: inout flx_realm_config_t) {
    config.starts_suspended = syncConfiguration?.startsSuspended ?? false
    config.refuse_unsubscribed_objects = syncConfiguration?.refusesUnsubscribedObjects ?? false
    config.rejected_write_limit = UInt32(clamping: syncConfiguration?.rejectedWriteLimit ?? 0)
    config.fail_opening_at_first_error = syncConfiguration?.cancelAsyncOpenOnNonFatalErrors ?? false
    // After an `await`, a task may continue on another thread; its actor keeps two threads from using the realm at
    // once.
    config.may_change_thread_in_write = withUnsafeCurrentTask { $0 != nil }
    config.maximum_active_versions = UInt64(maximumNumberOfActiveVersions ?? 0)
    if let shouldCompactOnLaunch {
      config.should_compact = callShouldCompact
      config.should_compact_userdata = CallbackBox<ShouldCompact>.retained(shouldCompactOnLaunch)
      config.free_should_compact_userdata = freeCallbackBox
    }
    let configuration = self
    syncConfiguration?.clientResetMode.write(to: &config, configuration)
    if let initial = syncConfiguration?.initialSubscriptions {
      let callback: InitialSubscriptionsCallback = { realm, update in
        let handle = _RealmHandle(LiveRealm(realm, configuration, isOwned: false))
        SubscriptionUpdate.run(on: handle, lent: update) { initial.callback($0) }
      }
      config.initial_subscriptions = callInitialSubscriptions
      config.initial_subscriptions_userdata = CallbackBox<InitialSubscriptionsCallback>.retained(callback)
      config.free_initial_subscriptions_userdata = freeCallbackBox
      config.rerun_initial_subscriptions = initial.rerunOnOpen
    }
  }
}

extension _RealmHandle {
  func writeCopy(_ destination: Realm.Configuration) throws {
    try destination.withDestination { config in try check { flx_realm_write_copy(pointer, config, $0) } }
  }
}

private typealias ShouldCompact = @Sendable (Int, Int) -> Bool

private let callShouldCompact: flx_should_compact_t = { box, total, used in
  CallbackBox<ShouldCompact>.callback(in: box)(Int(clamping: total), Int(clamping: used))
}

private typealias InitialSubscriptionsCallback = @Sendable (OpaquePointer, OpaquePointer) -> Void

private let callInitialSubscriptions: flx_initial_subscriptions_t = { box, realm, update, _ in
  CallbackBox<InitialSubscriptionsCallback>.callback(in: box)(realm, update)
  return .FLX_STATUS_OK
}
