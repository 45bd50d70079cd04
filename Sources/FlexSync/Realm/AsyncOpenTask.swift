// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A realm that is being opened in the background.
public final class AsyncOpenTask: Sendable {
  private let canceled = Mutex(false)

  static var cancellation: NSError {
    NSError(
      domain: NSPOSIXErrorDomain,
      code: Int(ECANCELED),
      userInfo: [NSLocalizedDescriptionKey: "Operation canceled"]
    )
  }

  var isCanceled: Bool { canceled.withLock { $0 } }

  /// Makes the open end with `ECANCELED`. The file keeps what was downloaded.
  public func cancel() { canceled.withLock { $0 = true } }
}
