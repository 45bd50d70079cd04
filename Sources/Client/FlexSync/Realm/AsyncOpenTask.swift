// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A realm that is being opened in the background.
public final class AsyncOpenTask: Sendable {
  /// Called once, with whichever comes first: the end of the download or the cancellation.
  private let finish: Mutex<(@Sendable ((any Error)?) -> Void)?>

  init(_ finish: @escaping @Sendable ((any Error)?) -> Void) { self.finish = Mutex(finish) }

  @Sendable func end(_ error: (any Error)?) {
    let finish = finish.withLock { finish in
      defer { finish = nil }
      return finish
    }
    finish?(error)
  }

  /// Makes the open fail with `ECANCELED`. The file keeps what has been downloaded.
  public func cancel() { end(posixError(ECANCELED, "Operation canceled")) }
}
