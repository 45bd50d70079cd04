// SPDX-License-Identifier: Apache-2.0

/// Where a link of an object leads.
public enum LinkState<Target: ObjectBase> {
  /// Nowhere: the link is nil.
  case null
  /// To an object on this device.
  case resolved(Target)
  /// To the object with a primary key that is not on this device: no subscription brings it, the user may not read it, or
  /// a device that did not have the linking object has deleted it. The property reads as nil until the object arrives.
  ///
  /// Deleting an object makes nil the links to it in all objects that are on the deleting device, so for other devices
  /// those are `null`.
  case outOfView(primaryKey: AnyRealmValue)
}

extension ThreadConfined where Self: ObjectBase {
  /// Tells whether a link is nil or leads to an object that is not on this device, both of which read as nil.
  ///
  /// ```swift
  /// if case .outOfView(let key) = task.linkState(of: \.owner) { print("subscribe to the person \(key)") }
  /// ```
  ///
  /// Call it where the object may be used. An object that was deleted stops the program.
  public func linkState<Target: Object>(of keyPath: KeyPath<Self, Target?>) -> LinkState<Target> {
    if let target = self[keyPath: keyPath] { return .resolved(target) }
    guard let managed = _managed else { return .null }
    let state = managed.linkState(
      managed.binding.propertyKeys[managed.binding.discovered.ordinal(of: keyPath)]
    )
    return state.isOutOfView ? .outOfView(primaryKey: state.primaryKey) : .null
  }
}
