// SPDX-License-Identifier: Apache-2.0

/// The number of elements of a collection that must satisfy a comparison.
public enum Quantifier: String, Hashable, Sendable {
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

/// A value computed over a collection of numbers or timestamps.
public enum AggregateFunction: String, Hashable, Sendable {
  case minimum = "@min"
  case maximum = "@max"
  case sum = "@sum"
  case average = "@avg"
}

/// The four basic operations.
public enum ArithmeticOperator: String, Hashable, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
}
