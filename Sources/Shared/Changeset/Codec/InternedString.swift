// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// An entry of a changeset's string table. Entries are equal if their bytes are.
struct InternedString: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: InternedString, right: InternedString) -> Bool {
    UTF8Order.areEqual(left.text, right.text)
  }

  func hash(into hasher: inout Hasher) {
    UTF8Order.hash(text, into: &hasher)
  }
}
