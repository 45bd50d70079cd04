// SPDX-License-Identifier: Apache-2.0

/// The app's settings for client resets: the mode, and the callbacks.
struct ClientResetConfiguration {
  var mode = ClientResetMode.manual
  /// Called with the frozen state of the device before a reset changes it.
  var before: ((Realm) -> Void)?
  /// Called with the states before and after a reset, and whether unsynced changes were recovered.
  var after: ((_ before: Realm, _ after: Realm, _ isRecovered: Bool) -> Void)?
  /// Called with the errors of resets that are left to the app.
  var error: ((SyncSession, SyncError) -> Void)?
}
