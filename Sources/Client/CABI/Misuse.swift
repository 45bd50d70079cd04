// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The end of a program that has lost track of its memory.
enum Misuse {
  /// Says which function was misused and how, and ends the process.
  static func abort(_ function: StaticString, _ trouble: String) -> Never {
    "FlexSync: \(name(of: function)): \(trouble).\n".withCText { line in
      _ = systemWrite(STDERR_FILENO, line.data, line.size)
    }
    systemAbort()
  }

  /// The name of a C function, which in Swift ends in the labels of its arguments.
  static func name(of function: StaticString) -> Substring { "\(function)".prefix { $0 != "(" } }
}

// The names are taken inside of `Misuse`.
#if canImport(Glibc)
private let systemAbort = Glibc.abort
private let systemWrite = Glibc.write
#else
private let systemAbort = Darwin.abort
private let systemWrite = Darwin.write
#endif
