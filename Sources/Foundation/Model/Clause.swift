// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text as part of a longer sentence: without the period with which messages of errors end.
  package var clause: Substring { hasSuffix(".") && !hasSuffix("..") ? dropLast() : self[...] }
}
