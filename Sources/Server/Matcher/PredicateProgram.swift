// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The form of a predicate without its constants. Predicates that differ only in their constants share one program.
struct PredicateProgram: Sendable {
  /// A predicate over slots, with the positions of its constants.
  indirect enum Condition: Hashable, Sendable {
    case always
    case never
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case test(SlotTest)
    /// The text contains one of many substrings, which are part of the program.
    case parts(slot: Int32, TextParts)
    /// A condition without a simple form; its constants are part of the program.
    case other(Predicate)
  }

  let condition: Condition
  /// The number of constants of each predicate.
  let constantCount: Int
  /// The tests that must all hold, if the condition consists of nothing else.
  let conjunction: [SlotTest]?
  /// The slots that the outcome depends on, as a `SlotMask`.
  let slotMask: UInt64
  /// The access paths of each alternative; nil if an alternative has none, so that the predicate must be evaluated
  /// every time.
  let alternatives: [[AccessForm]]?

  init(_ condition: Condition, constantCount: Int, slotMask: UInt64) {
    self.condition = condition
    self.constantCount = constantCount
    self.slotMask = slotMask
    conjunction = condition.tests
    alternatives = Alternatives.of(condition)
  }
}

/// A set of slots as one word; slots beyond the 63rd share the last bit.
enum SlotMask {
  static func bit(_ slot: Int) -> UInt64 { 1 << UInt64(min(slot, 63)) }
}

/// A test of one slot against constants. Holds if the value, or an element of the collection, compares as required
/// with one of them.
struct SlotTest: Hashable {
  let slot: Int32
  let isCollection: Bool
  /// Whether null elements are skipped: in a collection of links they do not count as elements.
  let skipsNulls: Bool
  /// Whether the constant is on the left of the operator.
  let isReversed: Bool
  let comparison: ValueComparison
  let firstConstant: Int32
  let constantCount: Int32

  var constants: Range<Int> { Int(firstConstant)..<Int(firstConstant + constantCount) }
}

extension PredicateProgram.Condition {
  fileprivate var tests: [SlotTest]? {
    switch self {
    case .test(let test): return [test]
    case .and(let conditions):
      var tests: [SlotTest] = []
      for condition in conditions {
        guard case .test(let test) = condition else { return nil }
        tests.append(test)
      }
      return tests
    default: return nil
    }
  }
}

// MARK: Evaluation

/// The constants of one predicate.
typealias Constants = UnsafeBufferPointer<Value>

extension PredicateProgram {
  /// Returns whether the object in an image meets the predicate with these constants.
  func matches(_ image: SlotImage, _ constants: Constants, slots: [Slot]) -> Bool {
    guard let conjunction else { return matches(condition, image, constants, slots) }
    for test in conjunction where !test.holds(image, constants) { return false }
    return true
  }

  private func matches(_ condition: Condition, _ image: SlotImage, _ constants: Constants, _ slots: [Slot])
    -> Bool
  {
    switch condition {
    case .always: return true
    case .never: return false
    case .and(let conditions):
      for condition in conditions where !matches(condition, image, constants, slots) { return false }
      return true
    case .or(let conditions):
      for condition in conditions where matches(condition, image, constants, slots) { return true }
      return false
    case .not(let condition): return !matches(condition, image, constants, slots)
    case .test(let test): return test.holds(image, constants)
    case .parts(let slot, let parts): return parts.isAny(in: image.value(at: Int(slot)))
    case .other(let predicate): return predicate.matches(SlotRow(image: image, slots: slots))
    }
  }
}

extension SlotTest {
  func holds(_ image: SlotImage, _ constants: Constants) -> Bool {
    let slot = Int(slot)
    guard isCollection else { return holds(image.value(at: slot), constants) }
    for element in image.elements(at: slot) where !(skipsNulls && element == .null) {
      if holds(element, constants) { return true }
    }
    return false
  }

  @inline(__always)
  func holds(_ value: Value, _ constants: Constants) -> Bool {
    for index in self.constants {
      if isReversed ? comparison.holds(constants[index], value) : comparison.holds(value, constants[index]) {
        return true
      }
    }
    return false
  }
}
