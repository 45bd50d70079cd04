// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

/// The text form of `FLX_VERSION_*`; a test compares it with `flx_version_number`.
private let versionText: StaticString = "0.1.0"

@_cdecl("flx_version") @implementation
public func flx_version() -> UnsafePointer<CChar> {
  versionText.characters
}

@_cdecl("flx_instance_count") @implementation
public func flx_instance_count() -> Int { HandlePool.usedCount }

@_cdecl("flx_set_misuse_handler") @implementation
public func flx_set_misuse_handler(_ handler: flx_misuse_handler_t?, _ userdata: UnsafeMutableRawPointer?) {
  Misuse.setHandler(handler, userdata)
}

@_cdecl("flx_version_number") @implementation
public func flx_version_number() -> Int32 {
  FLX_VERSION_MAJOR * 1_000_000 + FLX_VERSION_MINOR * 1_000 + FLX_VERSION_PATCH
}
