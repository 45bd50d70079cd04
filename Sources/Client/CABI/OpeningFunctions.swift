// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_realm_open_async") @implementation
public func flx_realm_open_async(
  _ config: In<flx_realm_config_t>,
  _ mode: flx_open_mode_t,
  _ timeout_ms: UInt64,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(config, "config"))
  let completion = Completion(completion, Userdata(userdata, free_userdata))
  if completion.refusesChild() { return }
  let user = config.pointee.user.map { Handle.object($0, as: User.self) }
  let opening = CoreError.catching {
    RealmOpening(try RealmConfiguration(config), try RealmDownload.Mode(mode), timeout_ms)
  }
  let work: @Sendable () -> Void = {
    switch opening {
    case .success(let opening): opening.start(completion: completion.report)
    case .failure(let error): completion.report(.failure(error))
    }
  }
  if let user { user.app.post(work) } else { DetachedThread.run(work) }
}

@_cdecl("flx_realm_open_blocking") @implementation
public func flx_realm_open_blocking(
  _ config: In<flx_realm_config_t>,
  _ mode: flx_open_mode_t,
  _ timeout_ms: UInt64,
  _ out_realm: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  RealmConfiguration.giveBackUserdata(of: config, ifNull: Needed(out_realm, "out_realm"))
  return withStatus(error, Needed(config, "config"), Needed(out_realm, "out_realm")) {
    // First, because this takes ownership of the userdata.
    let configuration = try RealmConfiguration(config)
    let mode = try RealmDownload.Mode(mode)
    let realm = try Realm.open(configuration)
    do {
      if let session = realm.coordinator.session, let mode {
        try session.user.app.runtime.blocking {
          RealmDownload.wait(for: session, mode: mode, timeout: timeout_ms, completion: $0.deliver)
        }.get()
        _ = try realm.refresh()
      }
    } catch {
      realm.close()
      throw error
    }
    out_realm.pointee = Handle.retained(realm)
  }
}

/// A realm being opened in the background, passed from the requesting thread to the one that opens it.
private final class RealmOpening: @unchecked Sendable {
  private let configuration: RealmConfiguration
  /// Nil if nothing is downloaded.
  private let mode: RealmDownload.Mode?
  private let timeout: UInt64
  /// Kept open to keep its session running.
  private var realm: Realm?
  /// The observations of the session.
  private var tokens: [NotificationToken] = []
  private var isDownloaded = false
  private var isFinished = false

  init(_ configuration: RealmConfiguration, _ mode: RealmDownload.Mode?, _ timeout: UInt64) {
    self.configuration = configuration
    self.mode = mode
    self.timeout = timeout
  }

  func start(completion: @escaping SyncSession.Completion) {
    do {
      guard let session = try open(), let mode else { return finish(.success(()), completion) }
      observe(session, completion)
      RealmDownload.wait(for: session, mode: mode, timeout: timeout) { [self] in finish($0, completion) }
    } catch {
      finish(.failure(CoreError(mapping: error)), completion)
    }
  }

  private func observe(_ session: SyncSession, _ completion: @escaping SyncSession.Completion) {
    if let report = configuration.openProgress {
      let token = session.observeProgress(.download, onlyOutstanding: true) { [weak self] progress in
        self?.isDownloaded = progress.isComplete
        report(progress)
      }
      tokens.append(token)
    }
    guard configuration.failsOpeningAtFirstError else { return }
    let token = session.observeFailures { [weak self] error in
      self?.finish(.failure(CoreError(error.status, error.message, code: error.protocolCode)), completion)
    }
    tokens.append(token)
  }

  /// Opens the realm and keeps it open if it has a session. A local realm is closed again, because the program may delete
  /// the file in the completion.
  private func open() throws -> SyncSession? {
    let opened = try Realm.open(configuration)
    guard let session = opened.coordinator.session else {
      opened.close()
      return nil
    }
    realm = opened
    return session
  }

  /// The program may open the realm within the completion, and then gets the same session.
  private func finish(_ result: Result<Void, CoreError>, _ completion: SyncSession.Completion) {
    guard !isFinished else { return }
    isFinished = true
    tokens = []
    // There may have been nothing to download.
    if case .success = result, !isDownloaded {
      configuration.openProgress?(TransferProgress(downloadedBytes: 0, estimate: 1))
    }
    completion(result)
    realm?.close()
    realm = nil
  }
}
