// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncWire

/// What a user might see while the stream of a file did not go on: the permissions that came into force after those that
/// the stream follows, in order. Without them, permissions that were taken away and given again would leave no trace, and
/// the client would be told what had been written in between and overwritten.
struct PassedPermissions: Hashable {
  struct Period: Hashable {
    /// The version of the history after which they were in force.
    let version: UInt64
    /// As `ViewPermissions.text`.
    let permissions: String
  }

  /// More are not kept apart: it is then as if the user had seen nothing from the last one on.
  static let maximumCount = 16
  static let noText = "[]"

  private(set) var periods: [Period] = []

  /// Reads `text`.
  init(text: String) throws(JSONError) {
    guard text != PassedPermissions.noText else { return }
    for member in try JSON.parse(text).arrayValue ?? [] {
      guard let version = member["version"]?.integerValue,
        let permissions = member["permissions"]?.stringValue
      else { continue }
      periods.append(Period(version: UInt64(clamping: version), permissions: permissions))
    }
  }

  /// Notes which permissions are in force now.
  ///
  /// - Parameters:
  ///   - version: the version of the history since which they are. Those that were in force when nothing happened are
  ///     forgotten.
  ///   - followed: those that the stream follows.
  ///   - nothing: those that let nothing be seen.
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

  /// Equal ones have equal texts.
  var text: String {
    let members = periods.map { period -> JSON in
      ["version": .integer(Int64(clamping: period.version)), "permissions": .string(period.permissions)]
    }
    return JSON.array(members).serialized
  }
}

extension ClientFileRecord {
  /// Notes what the file's user may see, for the part of the history that the stream does not cover yet.
  ///
  /// - Parameters:
  ///   - permissions: what the user may see and do now.
  ///   - classNames: the classes with a query.
  ///   - versions: the versions of the history after which that changed, first and last. What the user might see in
  ///     between is not known, and taken for nothing.
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
  /// What a file's user might see in the part of the history that the stream does not cover yet, besides what the stream
  /// follows.
  func passedViews(of file: LiveFile) throws -> [(version: UInt64, view: View)] {
    try PassedPermissions(text: file.record.passedPermissions).periods.map { period in
      (period.version, try schema.view(body: file.record.query, permissions: period.permissions))
    }
  }

  /// The same for the part that is taken back with bootstraps, and for the view that is followed then.
  ///
  /// - Parameter records: those of the bootstraps, in order.
  func passedViews(takingBack records: [BootstrapRecord], to oldView: View, _ file: LiveFile) throws
    -> [(version: UInt64, view: View)]
  {
    let names = Set(oldView.queriedClassNames)
    func period(_ version: UInt64, _ text: String, of classNames: [String]) throws -> (
      version: UInt64, view: View
    ) {
      // Of other classes the permissions say nothing, which would mean that everything may be seen.
      let permissions = try ViewPermissions(text: text).withNothing(of: names.subtracting(classNames))
      do {
        return (version, try schema.view(body: oldView.body, permissions: permissions.text))
      } catch {
        // What they mean is not known any more.
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
