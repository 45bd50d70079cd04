// SPDX-License-Identifier: Apache-2.0

/// Notifies the app of the client resets of one realm. Confined to the loop.
final class ClientResetObserver {
  let configuration: ClientResetConfiguration
  private let classes: [DeclaredClass]
  private let owner: RealmOwner
  private weak let coordinator: RealmCoordinator?
  /// The state of the device before the reset, kept while the reset changes it.
  private var before: Realm?

  init(_ configuration: RealmConfiguration, _ coordinator: RealmCoordinator) {
    self.configuration = configuration.clientReset
    classes = configuration.classes
    owner = configuration.owner
    self.coordinator = coordinator
  }

  /// Called when a reset is about to change the file.
  func begins() throws {
    guard configuration.before != nil || configuration.after != nil else { return }
    before = try openRealm(.before)
    guard let before, let callback = configuration.before else { return }
    callback(before)
  }

  /// Called when a reset has changed the file, or has failed.
  func ended(_ fate: LocalChangesFate?) throws {
    defer {
      before?.close()
      before = nil
    }
    guard let fate, let callback = configuration.after, let before, let after = try openRealm(.live)
    else { return }
    callback(before, after, fate == .recovered)
    after.close()
  }

  /// Opens a handle in addition to those of the app; nil if the realm is closed.
  private func openRealm(_ kind: Realm.Kind) throws -> Realm? {
    guard let coordinator else { return nil }
    let file = try RealmFile.open(Realm.fileConfiguration(coordinator), owner: owner)
    let schema = try RealmSchema(classes, store: file.objects, path: coordinator.path)
    return try Realm(coordinator: coordinator, file: file, schema: schema, kind: kind)
  }
}
