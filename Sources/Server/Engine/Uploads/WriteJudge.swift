// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore

/// Decides, object by object, whether a user may make the changes in an upload (protocol §8).
package struct WriteJudge {
  let schema: AppSchema
  let view: View
  let permissions: Permissions

  var disclosure: Disclosure { Disclosure(schema: schema, permissions: permissions) }

  /// Returns the refusal of a change of an object; nil if the change is allowed.
  ///
  /// - Parameters:
  ///   - touched: the change; its image from before is nil if the user may not know of the object.
  ///   - instructions: the instructions on the object.
  func refusal(of touched: TouchedObject, _ instructions: () -> [Instruction]) -> WriteRefusal? {
    let object = touched.object
    if schema.isAsymmetric(object.table) { return ingestRefusal(of: touched) }
    guard let permission = permissions[object.table] else { return WriteRefusal(.noRole, object) }
    func refusal(_ cause: WriteRefusal.Cause) -> WriteRefusal {
      WriteRefusal(cause, object, role: permission.role)
    }
    if touched.before == nil && touched.after == nil {
      // Where objects can be hidden, the answer must not reveal whether there is one.
      let isTold = disclosure[object.table].hidesObjects
      return isTold ? refusal(.outsideView) : nil
    }
    let layout = schema.layout(of: object.table)
    func isAsked(for image: ObjectImage?) -> Bool {
      view.asksFor(image, className: object.table, layout: layout)
    }
    func matches(_ predicate: Predicate, _ image: ObjectImage?) -> Bool {
      image.map { predicate.matches(ImageRow(image: $0, layout: layout)) } ?? true
    }
    // Realm's clients and their tests expect the role to be consulted before the view.
    guard matches(permission.write, touched.before), matches(permission.write, touched.after) else {
      return refusal(.writeFilter)
    }
    if permission.insert != .always || permission.delete != .always {
      let erases = instructions().contains { if case .eraseObject = $0 { true } else { false } }
      if erases, !matches(permission.delete, touched.before) { return refusal(.deleteFilter) }
      if touched.before == nil || erases, !matches(permission.insert, touched.after) {
        return refusal(.insertFilter)
      }
    }
    // The writer's subscriptions must ask for the object before or after the write; for a new object, after it.
    let isAskedFor = isAsked(for: touched.before) || isAsked(for: touched.after)
    return isAskedFor ? nil : refusal(.outsideView)
  }

  /// Returns the refusal of a change that would be allowed but for an existing object that the user may not know of;
  /// nil if the change is discarded without an error.
  func refusal(ofTaking object: ObjectReference) -> WriteRefusal? {
    guard !schema.isAsymmetric(object.table) else { return nil }
    return WriteRefusal(.outsideView, object, role: permissions[object.table]?.role)
  }

  /// Judges a write to an asymmetric object. Such objects are in no view; a role decides.
  private func ingestRefusal(of touched: TouchedObject) -> WriteRefusal? {
    let object = touched.object
    guard let permission = permissions[object.table] else { return WriteRefusal(.noRole, object) }
    guard let image = touched.after else { return nil }
    let row = ImageRow(image: image, layout: schema.layout(of: object.table))
    guard permission.write.matches(row) else {
      return WriteRefusal(.writeFilter, object, role: permission.role)
    }
    guard permission.insert.matches(row) else {
      return WriteRefusal(.insertFilter, object, role: permission.role)
    }
    return nil
  }
}
