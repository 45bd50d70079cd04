// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel

/// A report on an observed object.
enum ObjectChanges {
  case deleted
  case changed(ChangedProperties)
}

/// The properties of an observed object that have changed.
struct ChangedProperties {
  var keys: [flx_property_key_t] = []
  /// The former value of each property, null for collections; nil if the realm's own handle has changed them.
  var oldValues: [Value]?
  /// The indexes of the key paths on which something has changed.
  var paths: [Int] = []
}

/// Reports the changed properties of one object, and its deletion.
final class ObjectObserver: Observer {
  private let object: ManagedObject
  private let finder: ModificationFinder
  private let report: (ObjectChanges) -> Void
  private var hasEnded = false
  /// The values, by column, that properties had before the realm advanced to the rows that are being delivered.
  private var oldValues: [Int: Value] = [:]

  /// - Parameter keyPaths: what counts as a change; without any, each property of the object.
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, NO_SUCH_CLASS.
  init(_ object: ManagedObject, _ keyPaths: [String], _ report: @escaping (ObjectChanges) -> Void) throws {
    self.object = object
    finder = try ModificationFinder(object.realm, object.info, keyPaths)
    self.report = report
  }

  func prepare(_ touched: TouchedRows) {
    oldValues = [:]
    guard !hasEnded, let columns = touched[object.info.name]?.columns(of: object.row) else { return }
    for column in object.info.columns where columns.contains(column.index) && column.isSingle {
      // A value that cannot be read counts as null; whoever reads the object gets the error.
      oldValues[column.index] = try? object.realm.store.storedValue(row: object.row, column)
    }
  }

  func deliver(_ delivery: Delivery) throws {
    defer { oldValues = [:] }
    let touched = delivery.touched
    let paths = try finder.modifiedPaths(of: object.row, by: touched)
    // The realm was invalidated, which ends the observation.
    if hasEnded || object.isOfEarlierEra { return }
    let written = touched[object.info.name]?.columns(of: object.row)
    if written != nil, !object.isValid {
      hasEnded = true
      if !delivery.isSilenced { report(.deleted) }
      return
    }
    var changed = ChangedProperties(paths: paths)
    if finder.paths.isEmpty {
      let info = object.info
      let columns = info.columns.indices.filter {
        info.traits[$0].kind != .hidden && written?.contains($0) ?? false
      }
      changed.keys = columns.map { flx_property_key_t($0) }
    } else {
      changed.keys = firstProperties(of: paths)
    }
    guard !changed.keys.isEmpty || !paths.isEmpty, !delivery.isSilenced else { return }
    if !delivery.isOwnCommit {
      // Not all are known if another process committed between the reading of the old values and the new snapshot.
      let values = changed.keys.compactMap { oldValues[Int($0)] }
      if values.count == changed.keys.count { changed.oldValues = values }
    }
    report(.changed(changed))
  }

  /// Returns the properties with which key paths begin, each once.
  private func firstProperties(of paths: [Int]) -> [flx_property_key_t] {
    let columns = paths.compactMap { finder.paths[$0].steps.first?.column?.index }
    return Set(columns).sorted().map { flx_property_key_t($0) }
  }
}
