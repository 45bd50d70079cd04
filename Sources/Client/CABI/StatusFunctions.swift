// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_status_name") @implementation
public func flx_status_name(_ status: flx_status_t) -> UnsafePointer<CChar> { status.words.name.characters }

@_cdecl("flx_status_meaning") @implementation
public func flx_status_meaning(_ status: flx_status_t) -> UnsafePointer<CChar> {
  status.words.meaning.characters
}

extension flx_status_t {
  /// The name without its prefix, and the meaning.
  fileprivate var words: (name: StaticString, meaning: StaticString) {
    Status(rawValue: rawValue)?.words ?? ("UNKNOWN", "an unknown status")
  }
}

extension flx_status_t {
  init(_ status: Status) {
    // Both have the same cases.
    self = flx_status_t(rawValue: status.rawValue).unsafelyUnwrapped
  }
}

extension Status {
  /// Creates the status that a program passes to the library; INTERNAL if it is none.
  init(_ status: flx_status_t) { self = Status(rawValue: status.rawValue) ?? .internal }
}
