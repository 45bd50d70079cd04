// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The programs of an index, each stored once while any predicate uses it.
struct ProgramStore {
  private var programs: [PredicateProgram] = []
  private var references: [Int] = []
  private var numbers: [PredicateProgram.Condition: UInt32] = [:]
  private var free: [UInt32] = []

  subscript(number: UInt32) -> PredicateProgram {
    @inline(__always) _read { yield programs[Int(number)] }
  }

  /// Returns the number of the program for a condition. A new program is not retained yet.
  mutating func number(of condition: PredicateProgram.Condition, constantCount: Int, slotMask: UInt64)
    -> UInt32
  {
    if let number = numbers[condition] { return number }
    let program = PredicateProgram(condition, constantCount: constantCount, slotMask: slotMask)
    let number = free.popLast() ?? UInt32(programs.count)
    if Int(number) == programs.count {
      programs.append(program)
      references.append(0)
    } else {
      programs[Int(number)] = program
    }
    numbers[condition] = number
    return number
  }

  mutating func retain(_ number: UInt32) { references[Int(number)] += 1 }

  mutating func release(_ number: UInt32) {
    references[Int(number)] -= 1
    guard references[Int(number)] == 0 else { return }
    numbers[programs[Int(number)].condition] = nil
    free.append(number)
  }
}

/// The constants of all predicates of an index in one array; those of each predicate are contiguous.
struct ConstantStore {
  private(set) var values: [Value] = []
  /// Free places, by the number of constants that fit.
  private var free: [Int: [UInt32]] = [:]

  var byteCount: Int { values.capacity * MemoryLayout<Value>.stride }

  /// Stores constants and returns the position of the first one.
  mutating func insert(_ constants: [Value]) -> Int {
    guard !constants.isEmpty, let place = free[constants.count]?.popLast() else {
      values += constants
      return values.count - constants.count
    }
    for (offset, constant) in constants.enumerated() { values[Int(place) + offset] = constant }
    return Int(place)
  }

  mutating func free(_ first: Int, count: Int) {
    guard count > 0 else { return }
    for index in first..<first + count { values[index] = .null }
    free[count, default: []].append(UInt32(first))
  }
}
