// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An argument other than a handle that must not be NULL.
///
/// The header declares it nonnull, so Swift assumes that it is: only the bits say what C has passed.
struct Needed {
  let name: StaticString
  let isNull: Bool

  /// A pointer to read from.
  @inline(__always)
  init<Pointee>(_ pointer: UnsafePointer<Pointee>, _ name: StaticString) {
    self.name = name
    isNull = UInt(bitPattern: pointer) == 0
  }

  /// A pointer to write to.
  @inline(__always)
  init<Pointee>(_ pointer: UnsafeMutablePointer<Pointee>, _ name: StaticString) {
    self.name = name
    isNull = UInt(bitPattern: pointer) == 0
  }

  /// A function to call.
  @inline(__always)
  init<Callback>(callback: Callback, _ name: StaticString) {
    self.name = name
    isNull = unsafeBitCast(callback, to: UInt.self) == 0
  }

  /// For functions that return a status.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT.
  @inline(__always)
  static func require(_ argument: Needed?, _ function: StaticString) throws {
    if let argument, argument.isNull { throw argument.refusal(function) }
  }

  /// For functions that return no status: NULL ends the process with a message.
  @inline(__always)
  static func insist(_ argument: Needed, function: StaticString = #function) {
    if argument.isNull { Misuse.abort(function, argument.trouble) }
  }

  private var trouble: String { "the argument '\(name)' is NULL" }

  @inline(never)
  private func refusal(_ function: StaticString) -> CoreError {
    CoreError.invalidArgument("\(Misuse.name(of: function)): \(trouble).")
  }
}
