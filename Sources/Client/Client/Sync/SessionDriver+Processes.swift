// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

// Several processes with one file. The sync agent does for the others what they ask for in the file; they follow in the
// file what it does.

extension SessionDriver {
  /// Called when another process has committed something to the file.
  func fileChangedElsewhere() {
    attempt {
      guard !file.isClosed else { return }
      guard machine != nil else { return try followAgent() }
      try takeDownloadRequests()
      try forwardPendingSets()
    }
    if machine != nil { localVersionAdvanced() }
    subscriptionSetsChanged()
  }

  /// Answers the waits of this process from what the agent has stored.
  private func followAgent() throws {
    try requestDownloads()
    let requests = try completionWaits.isEmpty ? [] : Set(file.access { try $0.downloadRequests() })
    try completionWaits.settle { wait in
      if let request = wait.request { return requests.contains(request) ? nil : .success(()) }
      guard let version = wait.uploadVersion else { return nil }
      return try file.access { try $0.hasPendingUpload(through: version) } ? nil : .success(())
    }
    try tellProgress(.upload)
    (downloadEstimate, downloadedBytes) = file.agentsDownload ?? (downloadEstimate, downloadedBytes)
    try tellProgress(.download)
  }

  /// Asks the process that syncs the file for the ends of those downloads for which this process waits.
  func requestDownloads() throws {
    guard machine == nil, file.isShared else { return }
    try completionWaits.update { wait in
      guard wait.uploadVersion == nil, wait.request == nil else { return }
      wait.request = try file.access { try $0.addDownloadRequest() }
    }
  }

  /// Takes back the request of a wait that has ended without an answer.
  func withdrawRequest(_ wait: CompletionWait, _ result: Result<Void, CoreError>) {
    guard case .failure = result, let request = wait.request, !file.isClosed else { return }
    attempt { try file.access { try $0.removeDownloadRequests([request]) } }
  }

  /// Starts to wait for what other processes wait for.
  func takeDownloadRequests() throws {
    guard machine != nil, reset == nil else { return }
    let known = Set(downloadRequests.values)
    for request in try file.access({ try $0.downloadRequests() }) where !known.contains(request) {
      nextWaitToken += 1
      downloadRequests[nextWaitToken] = request
      handle(.downloadCompletionRequested(nextWaitToken))
    }
  }

  /// Answers a request of another process.
  func answerDownloadRequest(_ token: WaitToken) throws {
    guard let request = downloadRequests.removeValue(forKey: token) else { return }
    try file.access { try $0.removeDownloadRequests([request]) }
  }
}
