// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends a program that has lost track of its memory.
enum Misuse {
  /// Reports which function was misused and how, and ends the process.
  static func abort(_ function: StaticString, _ trouble: String) -> Never {
    "FlexSync: \(name(of: function)): \(trouble).\n".withCText { line in
      _ = systemWrite(STDERR_FILENO, line.data, line.size)
    }
    systemAbort()
  }

  /// The name of a C function, without the argument labels that Swift appends to it.
  static func name(of function: StaticString) -> Substring { "\(function)".prefix { $0 != "(" } }
}

// Inside `Misuse`, these names are shadowed.
#if canImport(Glibc)
private let systemAbort = Glibc.abort
private let systemWrite = Glibc.write
#else
private let systemAbort = Darwin.abort
private let systemWrite = Darwin.write
#endif
