// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// A local realm file in a folder of its own.
struct LocalFile: Sendable {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var configuration: Realm.Configuration { Realm.Configuration(fileURL: folder.file("local.realm")) }

  func open() throws -> Realm { try Realm(configuration: configuration) }
}
