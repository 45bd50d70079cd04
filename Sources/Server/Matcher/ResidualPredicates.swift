// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The predicates that are evaluated for every change, grouped by program so that common work is done once per
/// program.
struct ResidualPredicates {
  /// The members by program number.
  private var members: [[UInt32]] = []
  /// The programs that have members.
  private(set) var programs: [UInt32] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  var byteCount: Int {
    members.reduce(programs.capacity * 4) { $0 + ($1.isEmpty ? 0 : $1.capacity * 4 + 32) }
  }

  func members(of program: UInt32) -> [UInt32] { members[Int(program)] }

  /// Adds a predicate.
  ///
  /// - Returns: Its position among the members of its program.
  mutating func insert(_ number: UInt32, program: UInt32) -> UInt32 {
    while members.count <= Int(program) { members.append([]) }
    if members[Int(program)].isEmpty { programs.append(program) }
    members[Int(program)].append(number)
    count += 1
    return UInt32(members[Int(program)].count - 1)
  }

  /// Removes a predicate.
  ///
  /// - Returns: The predicate that has moved to the position; nil if none has.
  mutating func remove(at position: UInt32, program: UInt32) -> UInt32? {
    count -= 1
    let last = members[Int(program)].removeLast()
    if members[Int(program)].isEmpty { programs.removeAll { $0 == program } }
    guard Int(position) < members[Int(program)].count else { return nil }
    members[Int(program)][Int(position)] = last
    return last
  }
}

extension PredicateIndex {
  /// Evaluates all residual predicates.
  func reportResidual(_ change: Change, _ body: (PredicateID, Match) -> Void) {
    for number in residual.programs {
      let program = programs[number]
      if let tests = program.conjunction, tests.count == 1, !tests[0].isCollection {
        report(number, tests[0], change, body)
      } else {
        forEachResidual(of: number) { member, own in
          let match = change.match(program.slotMask) { program.matches($0, own, slots: slotList) }
          if let match { body(PredicateID(member), match) }
        }
      }
    }
  }

  /// Evaluates a program that is a single test of a single value, reading the value from the images only once.
  private func report(
    _ program: UInt32,
    _ test: SlotTest,
    _ change: Change,
    _ body: (PredicateID, Match) -> Void
  ) {
    let old = change.before?.value(at: Int(test.slot))
    let new = change.after?.value(at: Int(test.slot))
    let isUnchanged = change.changed.map { $0 & programs[program].slotMask == 0 } ?? false
    forEachResidual(of: program) { member, own in
      let wasMet = old.map { test.holds($0, own) } ?? false
      let isMet = isUnchanged ? wasMet : new.map { test.holds($0, own) } ?? false
      if wasMet || isMet { body(PredicateID(member), Match(before: wasMet, after: isMet)) }
    }
  }

  private func forEachResidual(of program: UInt32, _ body: (UInt32, Constants) -> Void) {
    let count = programs[program].constantCount
    constants.values.withUnsafeBufferPointer { constants in
      for member in residual.members(of: program) {
        let first = Int(entries[Int(member)].firstConstant)
        body(member, Constants(rebasing: constants[first..<first + count]))
      }
    }
  }
}
