// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Foundation
import Logging

@testable import FlexSyncCore
@testable import FlexSyncServer

/// A real server with the example app, on threads of its own.
final class SyncServer: @unchecked Sendable {
  /// The example app's directory.
  static let taskTracker =
    #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/Examples/TaskTracker"

  private let folder = TemporaryFolder()
  private let appDirectory: String
  private let clock: WallClock
  private let tls: SelfSignedCertificate?
  private let permissions: (any PermissionSource & Sendable)?
  private let limits: DeliveryLimits
  private var endpoint = Endpoint(host: "127.0.0.1", port: 0)
  private var loop: EventLoop?
  private var server: LoopBound<Server>?

  var url: String { tls == nil ? "http://\(endpoint)" : "https://\(endpoint)" }
  var port: UInt16 { endpoint.port }

  init(
    app: String = SyncServer.taskTracker,
    clock: WallClock = .system,
    tls: SelfSignedCertificate? = nil,
    permissions: (any PermissionSource & Sendable)? = nil,
    limits: DeliveryLimits = DeliveryLimits()
  ) throws {
    appDirectory = app
    self.clock = clock
    self.tls = tls
    self.permissions = permissions
    self.limits = limits
    try start()
  }

  deinit { stop() }

  /// Serves, on the same port as before.
  func start() throws {
    let loop = try EventLoop()
    var configuration = ServerConfiguration(
      appDirectories: [appDirectory],
      dataFolder: "\(folder.path)/data",
      listenAddress: "\(endpoint)",
      tlsCertificate: tls?.certificateFile,
      tlsKey: tls?.keyFile,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      clock: clock
    )
    configuration.permissions = permissions
    configuration.deliveryLimits = limits
    configuration.appsHaveThreads = true
    try FileSystem.makeFolder(folder.path)
    let server = try Server(configuration, loop: loop)
    endpoint = server.endpoint
    self.server = LoopBound(server, loop: loop)
    self.loop = loop
    try loop.start()
  }

  /// Tells the server that what users may see and do has changed.
  func permissionsHaveChanged() {
    guard let loop, let server else { return }
    loop.execute {
      for app in server.value.threads.values { app.run { $0.served.engine.permissionsMayHaveChanged() } }
    }
  }

  /// Keeps a copy of the data, for `restore`.
  func backUp() throws {
    stop()
    try FileSystem.remove("\(folder.path)/backup")
    try FileManager.default.copyItem(atPath: "\(folder.path)/data", toPath: "\(folder.path)/backup")
    try start()
  }

  /// Goes back to the copy of the data: what came later is gone.
  func restore() throws {
    stop()
    try FileManager.default.removeItem(atPath: "\(folder.path)/data")
    try FileManager.default.copyItem(atPath: "\(folder.path)/backup", toPath: "\(folder.path)/data")
    try start()
  }

  /// Stops, as a process that gets SIGTERM; the data stay.
  func stop() {
    guard let loop, let server else { return }
    loop.execute { server.value.stop { loop.stop() } }
    loop.join()
    self.loop = nil
    self.server = nil
  }
}
