// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends a program that has lost track of its memory.
enum Misuse {
  /// The program's own report, with its userdata.
  private struct Handler: @unchecked Sendable {
    let report: flx_misuse_handler_t
    let userdata: UnsafeMutableRawPointer?
  }

  private static let handler = Mutex<Handler?>(nil)

  /// Replaces what reports misuse; nil for a line on standard error.
  static func setHandler(_ report: flx_misuse_handler_t?, _ userdata: UnsafeMutableRawPointer?) {
    handler.withLock { $0 = report.map { Handler(report: $0, userdata: userdata) } }
  }

  /// Reports which function was misused and how, and ends the process.
  static func abort(_ function: StaticString, _ trouble: String) -> Never {
    if let handler = handler.withLock({ $0 }) {
      String(name(of: function)).withCString { function in
        "\(trouble).".withCString { handler.report(handler.userdata, function, $0) }
      }
    } else {
      "FlexSync: \(name(of: function)): \(trouble).\n".withCText { line in
        _ = systemWrite(STDERR_FILENO, line.data, line.size)
      }
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
