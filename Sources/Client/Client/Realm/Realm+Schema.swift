// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Realm {
  /// Adds classes and properties to the realm, and to its file if that lacks them.
  ///
  /// - Throws: `CoreError`, `StorageError`.
  func addClasses(_ additions: [DeclaredClass]) throws {
    try requireOpen()
    let present = schema.declared
    try SchemaDeclaration.check(additions, isSynced: isSynced, known: Schema(present.map(\.schema)))
    let merged = present.merged(with: additions)
    let declared = Schema(additions.map(\.schema))
    if hasVersionedSchema { try SchemaChanges(from: try store.schema, to: declared).requireNoMigration() }
    if try !store.schema.contains(declared) { try declareInFile(additions) }
    try schema.attach(merged, store)
    becomeOutdated()
  }

  /// Adopts a class of the file, and those it links to, as the file declares them. Those that the realm has stay as
  /// they are.
  ///
  /// - Throws: `CoreError` NO_SUCH_CLASS, `StorageError`.
  func adoptClass(named name: String) throws -> ClassInfo {
    if let known = schema[name] { return known }
    let file = try store.schema
    var additions: [DeclaredClass] = []
    var pending = [name]
    while let name = pending.popLast() {
      guard schema[name] == nil, !additions.contains(where: { $0.schema.name == name }) else { continue }
      guard let found = file[name] else {
        throw CoreError(.noSuchClass, "The file of the realm has no class '\(name)'.")
      }
      additions.append(DeclaredClass(found))
      pending += found.properties.compactMap(\.linkTarget)
    }
    try addClasses(additions)
    return try schema.requireClass(named: name)
  }

  private func declareInFile(_ additions: [DeclaredClass]) throws {
    guard !isInWrite else { return try declare(additions) }
    try beginWrite()
    do {
      try declare(additions)
    } catch {
      try cancelWrite()
      throw error
    }
    try commitWrite(isOfProgram: false)
  }

  private func declare(_ additions: [DeclaredClass]) throws {
    let declared = Schema(additions.map(\.schema))
    writeLog.record(declared.additions(to: try store.schema))
    writeLog.hasDeclared = true
    try store.declare(declared)
  }

  /// Declares again what a rollback has removed from the file, because the realm already has these classes.
  func restoreDeclarations() throws {
    let declared = schema.declared
    if try !store.schema.contains(Schema(declared.map(\.schema))) { try declareInFile(declared) }
    try schema.attach(declared, store)
    becomeOutdated()
  }
}
