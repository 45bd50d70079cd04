// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops

/// One side of a comparison.
struct Contender {
  /// Runs one repetition and returns the measured time in seconds. Repetition 0 is warm-up and does not count.
  let repeatOnce: (_ repetition: Int) throws -> Double
}

/// Runs the contenders in turn, so that a busy machine slows all of them down equally. Returns the times of each
/// contender in seconds.
func measure(repetitions: Int, _ contenders: [Contender]) throws -> [Samples] {
  var times = Array(repeating: [Double](), count: contenders.count)
  for repetition in 0...repetitions {
    for (index, contender) in contenders.enumerated() {
      let seconds = try contender.repeatOnce(repetition)
      if repetition > 0 { times[index].append(seconds) }
    }
  }
  return times.map(Samples.init)
}

/// Returns the time that `work` takes, in seconds.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let duration = try ContinuousClock().measure(work)
  return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
}

/// Measured values of one kind.
struct Samples {
  private(set) var values: [Double]
  private let sorted: [Double]

  init(_ values: [Double]) {
    self.values = values
    sorted = values.sorted()
  }

  var median: Double {
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// For work shorter than the time slices a busy machine takes away.
  var minimum: Double { percentile(0) }

  /// Returns the smallest value such that at least `fraction` of all values do not exceed it.
  func percentile(_ fraction: Double) -> Double {
    sorted[min(sorted.count - 1, max(0, Int((fraction * Double(sorted.count)).rounded(.up)) - 1))]
  }

  /// Returns the values, each divided by the number of items it covers.
  func perItem(_ count: Int) -> Samples { Samples(values.map { $0 / Double(count) }) }
}

/// Calls a loop in C.
///
/// - Throws: `BenchmarkError` with the message of the C error.
func check(_ work: (UnsafeMutablePointer<work_error_t>) -> Bool) throws {
  var error = work_error_t()
  guard !work(&error) else { return }
  let message = withUnsafeBytes(of: error.message) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
  throw BenchmarkError(message)
}

/// Throws if the measured work was not actually done.
func require<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) throws {
  guard found == expected else {
    throw BenchmarkError("\(what): found \(found), expected \(expected). The figure would mean nothing.")
  }
}

/// Creates rows of the workload ahead of the measurement.
func makeTasks(_ count: Int, from first: Int) -> [task_row_t] {
  [task_row_t](unsafeUninitializedCapacity: count) { buffer, initialized in
    if let base = buffer.baseAddress { workload_make_tasks(base, count, UInt64(first)) }
    initialized = count
  }
}
