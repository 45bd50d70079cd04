// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// Requests by processes that do not sync the file to the one that does: to say when everything that the server has is on
/// the device. Who answers a request deletes it. Numbers are never reused.
extension RealmFile {
  static func createDownloadRequests(_ database: Database) throws {
    try database.execute("CREATE TABLE flx_download_requests (id INTEGER PRIMARY KEY AUTOINCREMENT)")
  }

  /// Adds a request and returns its number.
  func addDownloadRequest() throws -> Int64 {
    try database.write {
      try database.firstRow("INSERT INTO flx_download_requests DEFAULT VALUES RETURNING id") { $0.int(0) }
        ?? 0
    }
  }

  /// Returns the numbers of the requests that have not been answered.
  func downloadRequests() throws -> [Int64] {
    try database.rows("SELECT id FROM flx_download_requests ORDER BY id") { $0.int(0) }
  }

  /// Answers requests.
  func removeDownloadRequests(_ numbers: [Int64]) throws {
    try database.write {
      for number in numbers { try database.run("DELETE FROM flx_download_requests WHERE id = ?1", [number]) }
    }
  }
}
