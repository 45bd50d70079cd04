// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage

/// Brings the users of another server into an app, with their identifiers. A server may be running on the same data.
public final class UserMigration {
  /// In which form users are listed.
  public enum Format: Sendable {
    /// JSON as the App Services Admin API gives it, a user a line or an array.
    case documents
    /// Comma-separated values.
    case table
  }

  /// How many users one transaction takes.
  private static let batchCount = 500

  let app: AppConfiguration
  private let dataFolder: String
  private let isDryRun: Bool
  private let clock: WallClock
  private var summary = MigrationSummary()

  /// - Parameter isDryRun: whether nothing is to be written.
  /// - Throws: `ConfigurationError`.
  public init(appDirectory: String, dataFolder: String, isDryRun: Bool = false, clock: WallClock = .system)
    throws
  {
    app = try AppDirectory.load(appDirectory)
    self.dataFolder = dataFolder
    self.isDryRun = isDryRun
    self.clock = clock
  }

  /// Takes the users of a file. If one cannot be taken and nothing says that such users are to be left out, none is.
  ///
  /// - Parameters:
  ///   - skipFile: gets the entries that cannot be taken; nil if they keep all users from being taken.
  ///   - onRefusals: is told what could not be taken.
  /// - Throws: `ServerError` that says what is wrong with the file, `FileError`, `StorageError`.
  public func run(
    users file: String,
    format: Format = .documents,
    skipFile: String? = nil,
    onRefusals: (Refusals) -> Void = { _ in }
  ) throws -> MigrationSummary {
    do {
      let content = try DocumentFile(path: file)
      let table = format == .table ? try UserTableReader(content) : nil
      let refusals = try Refusals(file: skipFile, header: table?.header)
      let plans = try plans(content, table, refusals)
      try refusals.finish()
      summary.refusedCount = refusals.count
      if refusals.count > 0 {
        onRefusals(refusals)
        guard refusals.areSkipped || isDryRun else {
          throw ServerError(
            "\(file): \(refusals.count) entries cannot be taken, so nothing was. Correct them, or leave them out with "
              + "--skip-bad FILE"
          )
        }
      }
      if !isDryRun { try write(plans.filter { !$0.isEmpty }) }
      return summary
    } catch let error as DocumentError {
      throw ServerError("cannot read \(file): \(error)")
    }
  }

  private func plans(_ file: DocumentFile, _ table: UserTableReader?, _ refusals: Refusals) throws
    -> [MigrationPlanner.Plan]
  {
    let store = try DataFolder.storeIfPresent(in: dataFolder, appID: app.appID)
    var planner = MigrationPlanner(store: store, ways: WaysBack(providers: app.providers))
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

  // MARK: Writing

  private func write(_ plans: [MigrationPlanner.Plan]) throws {
    let store = try DataFolder(dataFolder).openStore(appID: app.appID)
    var rest = plans[...]
    while !rest.isEmpty {
      let batch = rest.prefix(UserMigration.batchCount)
      rest = rest.dropFirst(batch.count)
      try store.write { for plan in batch { try write(plan, to: store) } }
    }
  }

  private func write(_ plan: MigrationPlanner.Plan, to store: ServerStore) throws {
    let user = plan.user
    let created = user.created ?? clock.seconds
    if plan.isNew {
      try store.insert(
        UserRecord(
          id: user.id,
          isServer: user.isServer,
          created: created,
          lastLogin: user.lastLogin,
          isDisabled: user.isDisabled
        )
      )
    } else {
      try store.noteAccountChange(userID: user.id, time: clock.seconds)
    }
    for identity in plan.missing {
      let record = IdentityRecord(
        provider: identity.provider,
        subject: identity.subject,
        id: identity.id,
        userID: user.id,
        data: identity.data.serialized,
        created: created
      )
      // Somebody may have registered since the file was checked.
      guard try store.insert(record) else {
        throw ServerError("\(identity.shown) was registered in this moment. Run the command again")
      }
    }
  }
}
