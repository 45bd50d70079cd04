// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// A key path that an observer watches, bound to the classes of a realm: "name", "owner.name", "tasks.owner" or
/// "@links.Person.tasks.name".
struct ObservedPath {
  /// A property that links, seen from both ends.
  struct Link {
    let origin: ClassInfo
    let column: Column
    let target: ClassInfo
  }

  /// One step, which starts at the objects of one class.
  enum Step {
    /// To a value of the class.
    case value(ClassInfo, Column)
    /// To the objects that a property links to.
    case targets(Link)
    /// To the objects that link to those of the class.
    case origins(Link)
  }

  let steps: [Step]

  /// - Parameter start: the class of the observed objects.
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, NO_SUCH_CLASS.
  init(_ text: String, of start: ClassInfo, _ schema: RealmSchema) throws {
    var components = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    var steps: [Step] = []
    var info: ClassInfo? = start
    while let name = components.popFirst() {
      guard let owner = info else { throw Self.missing(name, in: steps.last?.owner ?? start) }
      let step = try Self.step(name, &components, of: owner, schema)
      steps.append(step)
      info = step.destination
    }
    self.steps = steps
  }

  private static func step(
    _ name: String,
    _ rest: inout ArraySlice<String>,
    of owner: ClassInfo,
    _ schema: RealmSchema
  ) throws -> Step {
    if name == "@links" {
      let origin = try schema.requireClass(named: rest.popFirst() ?? "")
      let property = rest.popFirst() ?? ""
      let column = try column(property, of: origin)
      guard column.schema.linkTarget == owner.name else { throw missing(property, in: origin) }
      return .origins(Link(origin: origin, column: column, target: owner))
    }
    let column = try column(name, of: owner)
    guard let target = column.schema.linkTarget else { return .value(owner, column) }
    return .targets(Link(origin: owner, column: column, target: try schema.requireClass(named: target)))
  }

  private static func column(_ name: String, of info: ClassInfo) throws -> Column {
    guard info.declared.schema.property(named: name) != nil, let column = info.table.column(named: name)
    else { throw missing(name, in: info) }
    return column
  }

  private static func missing(_ name: String, in info: ClassInfo) -> CoreError {
    CoreError(
      .noSuchProperty,
      "Invalid property name: property '\(name)' not found in object of type '\(info.name)'"
    )
  }
}

extension ObservedPath.Step {
  /// The class at which the step starts.
  var owner: ClassInfo {
    switch self {
    case .value(let info, _): info
    case .targets(let link): link.origin
    case .origins(let link): link.target
    }
  }

  /// The class to whose objects the step leads; nil for a value.
  var destination: ClassInfo? {
    switch self {
    case .value: nil
    case .targets(let link): link.target
    case .origins(let link): link.origin
    }
  }

  /// The property of the class at which the step starts; nil if it follows links backwards.
  var column: Column? {
    switch self {
    case .value(_, let column): column
    case .targets(let link): link.column
    case .origins: nil
    }
  }
}
