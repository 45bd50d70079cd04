// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
@_spi(_Unicode) import Swift

extension Value {
  /// A text without the accents of its letters; any other value as it is.
  var withoutDiacritics: Value {
    guard case .string(let text) = self, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return self }
    var plain = ""
    plain.unicodeScalars.append(
      contentsOf: text._nfd.filter { $0.properties.generalCategory != .nonspacingMark }
    )
    return .string(plain)
  }
}
