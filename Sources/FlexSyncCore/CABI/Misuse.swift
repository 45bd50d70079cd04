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
    // In Swift the name ends in the labels of its arguments.
    let name = "\(function)".prefix { $0 != "(" }
    "FlexSync: \(name): \(trouble).\n".withCText { line in
      _ = systemWrite(STDERR_FILENO, line.data, line.size)
    }
    systemAbort()
  }
}

// The names are taken inside of `Misuse`.
#if canImport(Glibc)
private let systemAbort = Glibc.abort
private let systemWrite = Glibc.write
#else
private let systemAbort = Darwin.abort
private let systemWrite = Darwin.write
#endif
