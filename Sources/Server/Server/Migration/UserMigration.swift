// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncDocuments
import FlexSyncScheduling
import FlexSyncServerSupport

/// Migrates the users of another server to an app, keeping their identifiers. A server may be running on the same
/// data.
public final class UserMigration {
  /// The format of the file of users.
  public enum Format: Sendable {
    /// JSON from the App Services Admin API: one user per line, or an array.
    case documents
    /// Comma-separated values.
    case table
  }

  private let app: AppConfiguration
  private let dataFolder: String
  private let options: MigrationOptions
  private let isDryRun: Bool
  private let clock: WallClock
  private var summary = MigrationSummary()

  /// - Parameter isDryRun: Whether to check the input without writing anything or sending e-mails.
  /// - Throws: `ConfigurationError`.
  public init(
    appDirectory: String,
    dataFolder: String,
    options: MigrationOptions = MigrationOptions(),
    isDryRun: Bool = false,
    clock: WallClock = .system
  ) throws {
    app = try AppDirectory.load(appDirectory)
    self.dataFolder = dataFolder
    self.options = options
    self.isDryRun = isDryRun
    self.clock = clock
  }

  /// Migrates the users of a file. If one cannot be migrated and there is no `skipFile`, none is.
  ///
  /// - Parameters:
  ///   - skipFile: Receives the entries that cannot be migrated; nil if a single one prevents the entire migration.
  ///   - onRefusals: Called with the entries that could not be migrated.
  /// - Throws: `ServerError` that describes the problem with the file, `FileError`, `StorageError`.
  public func run(
    users file: String,
    format: Format = .documents,
    skipFile: String? = nil,
    onRefusals: (Refusals) -> Void = { _ in }
  ) throws -> MigrationSummary {
    do {
      let ways = try options.ways(app.providers, now: clock.seconds)
      let keyFile = try options.anonymousKeyFile.map(AnonymousKeyFile.init)
      let content = try DocumentFile(path: file)
      let table = format == .table ? try UserTableReader(content) : nil
      guard table != nil || !UserTableReader.isTable(content) else {
        throw ServerError("\(file) is a table of comma-separated values; read it with --csv")
      }
      let refusals = try Refusals(file: skipFile, header: table?.header, isDryRun: isDryRun)
      let plans = try plans(content, table, refusals, ways)
      try refusals.finish()
      summary.refusedCount = refusals.count
      summary.isPrevented = isDryRun && skipFile == nil && refusals.count > 0
      summary.warnings = options.warnings(app.providers)
      try refusals.report(
        to: onRefusals,
        isDryRun: isDryRun,
        orThrow:
          "\(file): \(refusals.count) entries are invalid, so nothing was migrated. Correct them, or skip "
          + "them with --skip-bad FILE"
      )
      if !isDryRun { try write(plans.filter { !$0.isEmpty }, keyFile) }
      return summary
    } catch let error as DocumentError {
      throw ServerError("cannot read \(file): \(error)")
    }
  }

  private func plans(
    _ file: DocumentFile,
    _ table: UserTableReader?,
    _ refusals: Refusals,
    _ ways: WaysBack
  ) throws -> [MigrationPlanner.Plan] {
    let store = try DataFolder.storeIfPresent(in: dataFolder, appID: app.appID)
    var planner = MigrationPlanner(store: store, ways: ways)
    var plans: [MigrationPlanner.Plan] = []
    func add(_ entry: UserEntry) throws {
      do {
        let plan = try planner.plan(try entry.user.get(), at: entry.place)
        summary.count(plan)
        plans.append(plan)
      } catch let error as DocumentError {
        try refusals.add(place: entry.place, reason: error.description, content: entry.content)
      }
    }
    if let table { try table.forEach(add) } else { try UserDocumentReader.forEach(in: file, add) }
    return plans
  }

  private func write(_ plans: [MigrationPlanner.Plan], _ keyFile: AnonymousKeyFile?) throws {
    let store = try DataFolder(dataFolder).openStore(appID: app.appID)
    try MigrationWriter(store: store, clock: clock, anonymousKeys: keyFile).write(plans)
    guard let delivery = options.mailDelivery else { return }
    let mails = ResetMails(
      store: store,
      app: app,
      delivery: delivery,
      clock: clock,
      lifetime: options.mailSeconds
    )
    let (count, errors) = try mails.send(to: plans.flatMap(\.mailAddresses))
    summary.mailCount = count
    summary.mailErrors = errors
  }
}
