// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Splits a predicate into its program and its constants.
struct ProgramCompiler {
  /// The existing slots, to which the predicate's properties are added.
  private(set) var slots: [Slot]
  private(set) var constants: [Value] = []
  private(set) var slotMask: UInt64 = 0

  mutating func compile(_ predicate: Predicate) -> PredicateProgram.Condition {
    switch predicate {
    case .always: return .always
    case .never: return .never
    case .and(let conditions): return .and(compile(conditions))
    case .or(let conditions): return .or(compile(conditions))
    case .not(let condition): return .not(compile(condition))
    case .comparison(let comparison):
      if let search = PartSearch(comparison), search.path.isOneSlot { return compile(search) }
      if let test = test(comparison) { return .test(test) }
      return other(predicate)
    case .geoWithin: return other(predicate)
    }
  }

  private mutating func compile(_ conditions: [Predicate]) -> [PredicateProgram.Condition] {
    var compiled: [PredicateProgram.Condition] = []
    compiled.reserveCapacity(conditions.count)
    for condition in conditions { compiled.append(compile(condition)) }
    return compiled
  }

  private mutating func compile(_ search: PartSearch) -> PredicateProgram.Condition {
    let parts = PredicateProgram.Condition.parts(slot: Int32(slot(of: search.path.property)), search.parts)
    let condition = search.rest.map { .or([parts, compile(.comparison($0))]) } ?? parts
    return search.isNegated ? .not(condition) : condition
  }

  /// Returns a condition that is left to the evaluator, and notes the properties it uses.
  private mutating func other(_ predicate: Predicate) -> PredicateProgram.Condition {
    predicate.forEachPath { path in
      if let property = path.rootProperty { _ = slot(of: property) }
    }
    return .other(predicate)
  }

  /// Returns the test for comparing a property of the object itself with constants; nil for any other comparison.
  private mutating func test(_ comparison: Comparison) -> SlotTest? {
    switch (comparison.left, comparison.right) {
    case (.path(let path), let operand): return test(comparison, path, operand, isReversed: false)
    case (let operand, .path(let path)): return test(comparison, path, operand, isReversed: true)
    default: return nil
    }
  }

  private mutating func test(
    _ comparison: Comparison,
    _ path: PropertyPath,
    _ operand: Operand,
    isReversed: Bool
  ) -> SlotTest? {
    guard path.isOneSlot, let values = operand.anyOfConstants, !comparison.comparesWholeLists else {
      return nil
    }
    let first = constants.count
    constants += values
    return SlotTest(
      slot: Int32(slot(of: path.property)),
      isCollection: path.isMultiple,
      skipsNulls: path.isMultiple && path.property.type == .link,
      isReversed: isReversed,
      comparison: ValueComparison(comparison),
      firstConstant: Int32(first),
      constantCount: Int32(values.count)
    )
  }

  private mutating func slot(of property: PropertySchema) -> Int {
    let wanted = Slot(property)
    let index = slots.firstIndex(of: wanted) ?? slots.count
    if index == slots.count { slots.append(wanted) }
    slotMask |= SlotMask.bit(index)
    return index
  }
}

extension PropertyPath {
  /// Whether the path yields the value, or any element, of a property of the object itself.
  fileprivate var isOneSlot: Bool {
    guard links.isEmpty, !endsInBacklinks, selectors.isEmpty, measure == .value,
      quantifier == nil || quantifier == .any
    else { return false }
    switch property.collection {
    case .single, .list, .set: return true
    case .dictionary: return false
    }
  }
}

extension Operand {
  /// The constants of which any one suffices; nil for other operands.
  fileprivate var anyOfConstants: [Value]? {
    switch self {
    case .constant(let value): [value]
    case .list(let values, let quantifier): quantifier == nil || quantifier == .any ? values : nil
    case .path, .aggregate, .subquery, .arithmetic: nil
    }
  }
}
