// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore
import FlexSyncWire

/// Stored subscriptions that an app directory does not allow.
package struct ForbiddenSubscriptions {
  /// The number of client files that have them; of very many different sets, only some are counted.
  package let fileCount: Int
  /// The reason why the directory does not allow one of them.
  package let reason: String

  /// The number of different sets that are examined.
  private static let examinedCount = 1_000

  /// - Returns: nil if all are allowed.
  /// - Throws: `StorageError`.
  package init?(app: AppConfiguration, store: ServerStore) throws {
    let schema = try AppSchema.combined(try store.objects.schema, with: app)
    let policy = AppSchema.policy(of: app, schema, ServerLimits())
    let validator = SyncQueryValidator(schema: schema, policy: policy)
    var (count, first) = (0, String?.none)
    for (body, fileCount) in try store.subscriptionSets(maximumCount: ForbiddenSubscriptions.examinedCount) {
      guard let reason = ForbiddenSubscriptions.reason(against: body, validator) else { continue }
      count += fileCount
      first = first ?? reason
    }
    guard let first else { return nil }
    (fileCount, reason) = (count, first)
  }

  private static func reason(against body: String, _ validator: SyncQueryValidator) -> String? {
    do {
      for (className, text) in try QuerySet(body: Array(body.utf8)).queries {
        _ = try validator.predicate(className: className, text: text)
      }
      return nil
    } catch let error as SyncQueryError {
      return error.message
    } catch {
      return "\(error)"
    }
  }
}
