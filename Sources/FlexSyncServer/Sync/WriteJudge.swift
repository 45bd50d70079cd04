// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStorage

/// Decides object by object whether a user may make the change that an upload makes (protocol §8).
struct WriteJudge {
  let schema: AppSchema
  let view: View
  let permissions: Permissions

  /// Why the change of an object is not allowed; nil if it is.
  ///
  /// - Parameter instructions: those on the object.
  func refusal(of touched: TouchedObject, _ instructions: () -> [Instruction]) -> WriteRefusal? {
    let object = touched.object
    if touched.before == nil && touched.after == nil { return nil }
    if schema.isAsymmetric(object.table) { return ingestRefusal(of: touched) }
    guard let permission = permissions[object.table] else { return .noRole(object) }
    let layout = schema.layout(of: object.table)
    func isAsked(for image: ObjectImage?) -> Bool {
      view.asksFor(image, className: object.table, layout: layout)
    }
    func matches(_ predicate: Predicate, _ image: ObjectImage?) -> Bool {
      image.map { predicate.matches(ImageRow(image: $0, layout: layout)) } ?? true
    }
    // A write needs the object in the writer's view: before or after it, and after it if it is new. That there is an
    // object which the user may not see is not told.
    guard isAsked(for: touched.before) || isAsked(for: touched.after),
      matches(permission.read, touched.before)
    else { return .outsideView(object, role: permission.role) }
    guard matches(permission.write, touched.before), matches(permission.write, touched.after) else {
      return .writeFilter(object, role: permission.role)
    }
    if permission.insert == .always, permission.delete == .always { return nil }
    let erases = instructions().contains { if case .eraseObject = $0 { true } else { false } }
    if erases, !matches(permission.delete, touched.before) {
      return .deleteFilter(object, role: permission.role)
    }
    if touched.before == nil || erases, !matches(permission.insert, touched.after) {
      return .insertFilter(object, role: permission.role)
    }
    return nil
  }

  /// Asymmetric objects are in no view; a role decides.
  private func ingestRefusal(of touched: TouchedObject) -> WriteRefusal? {
    let object = touched.object
    guard let image = touched.after else { return nil }
    guard let permission = permissions[object.table] else { return .noRole(object) }
    let row = ImageRow(image: image, layout: schema.layout(of: object.table))
    guard permission.write.matches(row) else { return .writeFilter(object, role: permission.role) }
    guard permission.insert.matches(row) else { return .insertFilter(object, role: permission.role) }
    return nil
  }
}
