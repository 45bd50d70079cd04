// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncWire

/// The permissions that came into force while the stream of a file was not extended, after those that the stream
/// follows, in order. Without them, permissions that were revoked and granted again would leave no trace, and the
/// client would receive what had been written and overwritten in the meantime.
struct PassedPermissions: Hashable {
  struct Period: Hashable {
    /// The version of the history after which they were in force.
    let version: UInt64
    /// The permissions, as `ViewPermissions.text`.
    let permissions: String
  }

  /// The maximum number of periods that are kept apart. Beyond it, the user counts as having seen nothing from the
  /// last one on.
  static let maximumCount = 16
  static let noText = "[]"

  private(set) var periods: [Period] = []

  /// Parses `text`.
  init(text: String) throws(JSONError) {
    guard text != PassedPermissions.noText else { return }
    for member in try JSON.parse(text).arrayValue ?? [] {
      guard let version = member["version"]?.integerValue,
        let permissions = member["permissions"]?.stringValue
      else { continue }
      periods.append(Period(version: UInt64(clamping: version), permissions: permissions))
    }
  }

  /// Notes the permissions that are now in force.
  ///
  /// - Parameters:
  ///   - version: the version of the history since which they are in force. Permissions under which nothing was
  ///     written are forgotten.
  ///   - followed: the permissions that the stream follows.
  ///   - nothing: the permissions under which nothing is visible.
  mutating func note(_ permissions: String, since version: UInt64, after followed: String, nothing: String) {
    guard !UTF8Order.areEqual(permissions, periods.last?.permissions ?? followed) else { return }
    let version = max(version, periods.last?.version ?? 0)
    if periods.last?.version == version { periods.removeLast() }
    guard !UTF8Order.areEqual(permissions, periods.last?.permissions ?? followed) else { return }
    guard periods.count < PassedPermissions.maximumCount else {
      let last = periods.removeLast()
      return periods.append(Period(version: last.version, permissions: nothing))
    }
    periods.append(Period(version: version, permissions: permissions))
  }

  /// The periods as text. Equal values have equal texts.
  var text: String {
    let members = periods.map { period -> JSON in
      ["version": .integer(Int64(clamping: period.version)), "permissions": .string(period.permissions)]
    }
    return JSON.array(members).serialized
  }
}

extension ClientFileRecord {
  /// Notes the permissions of the file's user for the part of the history that the stream does not cover yet.
  ///
  /// - Parameters:
  ///   - permissions: the user's current permissions.
  ///   - classNames: the classes with a query.
  ///   - versions: the first and the last version of the history after which the permissions changed. What the user
  ///     was allowed to see between the two is unknown and treated as nothing.
  mutating func note(_ permissions: Permissions, of classNames: [String], since versions: ClosedRange<UInt64>)
    throws
  {
    let nothing = ViewPermissions(Permissions(classes: [:]), of: classNames).text
    let now = ViewPermissions(permissions, of: classNames).text
    var passed = try PassedPermissions(text: passedPermissions)
    if versions.lowerBound < versions.upperBound {
      passed.note(nothing, since: versions.lowerBound, after: self.permissions, nothing: nothing)
    }
    passed.note(now, since: versions.upperBound, after: self.permissions, nothing: nothing)
    let text = passed.text
    if !UTF8Order.areEqual(text, passedPermissions) { passedPermissions = text }
  }
}

extension StreamWriter {
  /// Returns the views that the user was allowed to see in the part of the history that the stream does not cover
  /// yet, in addition to the one that the stream follows.
  func passedViews(of file: LiveFile) throws -> [(version: UInt64, view: View)] {
    try PassedPermissions(text: file.record.passedPermissions).periods.map { period in
      (period.version, try schema.view(body: file.record.query, permissions: period.permissions))
    }
  }

  /// Returns such views for the part of the history whose bootstraps are rolled back, and for the query set that the
  /// stream then follows.
  ///
  /// - Parameter records: the records of the bootstraps, in order.
  func passedViews(takingBack records: [BootstrapRecord], to oldView: View, _ file: LiveFile) throws
    -> [(version: UInt64, view: View)]
  {
    let names = Set(oldView.queriedClassNames)
    func period(_ version: UInt64, _ text: String, of classNames: [String]) throws -> (
      version: UInt64, view: View
    ) {
      // Permissions do not restrict classes that they do not mention, so classes without a query are hidden
      // explicitly.
      let permissions = try ViewPermissions(text: text).withNothing(of: names.subtracting(classNames))
      do {
        return (version, try schema.view(body: oldView.body, permissions: permissions.text))
      } catch {
        // The permissions can no longer be interpreted.
        let nothing = permissions.withNothing(of: names).text
        return (version, try schema.view(body: oldView.body, permissions: nothing))
      }
    }
    let bootstrapped = try records.map { record in
      try period(
        record.placedVersion,
        record.permissions,
        of: QuerySet(body: Array(record.query.utf8)).queries.map(\.0)
      )
    }
    let later = try PassedPermissions(text: file.record.passedPermissions).periods.map {
      try period($0.version, $0.permissions, of: file.view.queriedClassNames)
    }
    return bootstrapped + later
  }
}
