// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// The progress of opening a realm, as `@AsyncOpen` and `@AutoOpen` report it to a view.
public enum AsyncOpenState {
  /// The opening has begun.
  case connecting
  /// Nobody is logged in; the opening begins with the next login.
  case waitingForUser
  /// The realm is open.
  case open(Realm)
  /// The download has progressed.
  case progress(Progress)
  /// The opening has failed.
  case error(any Error)
}
