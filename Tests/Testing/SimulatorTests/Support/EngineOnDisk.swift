// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncModel
import FlexSyncServerStore
import Logging
import Synchronization

@testable import FlexSyncConfiguration
@testable import FlexSyncEngine
@testable import FlexSyncScheduling

extension SyncEngine {
  /// The engine of a server whose store lies on a simulated disk.
  static func open(_ mounted: MountedDisk, log: MessageLog = MessageLog()) throws -> SyncEngine {
    var app = AppConfiguration(appID: "app", schema: taskSchema, queryableFields: ["title"])
    app.sync.isDevelopmentMode = true
    return try SyncEngine(
      app: app,
      store: ServerStore(path: mounted.disk.path("data.sqlite")),
      clock: WallClock { 1_800_000_000_000 },
      limits: DeliveryLimits(messageByteCount: 4000, changesetByteCount: 2000),
      logger: Logger(label: "test") { _ in MessageLogHandler(log: log) },
      salts: SaltSource { 4711 }
    )
  }
}

/// What was logged as an error or worse.
final class MessageLog: Sendable {
  private let lines = Mutex<[String]>([])

  var errors: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct MessageLogHandler: LogHandler {
  let log: MessageLog
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.error

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    log.add("\(event.message) \(event.metadata ?? [:])")
  }
}
