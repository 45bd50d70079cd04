// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

// What AppKit and UIKit add to `IndexPath`.
extension IndexPath {
  /// Creates the path to an item of a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The section, which comes first on the path.
  public var section: Int { self[0] }

  /// The index in the section, which comes second on the path.
  public var item: Int { self[1] }
}
#endif
