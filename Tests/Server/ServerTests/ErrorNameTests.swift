// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("The names of errors in records")
struct ErrorNameTests {
  private static let known =
    (100...114).map(ErrorCode.init) + (200...236).map(ErrorCode.init).filter(\.isKnown)

  @Test("Every code of the protocol has a name of its own; others have their number")
  func names() {
    let names = Self.known.map(\.recordName)
    #expect(Set(names).count == names.count && names.count == 51)
    #expect(names.allSatisfy { !$0.contains(where: \.isNumber) })
    #expect(ErrorCode(rawValue: 299).recordName == "Error299")
    #expect(ErrorCode(rawValue: 213).recordName == "Error213")
  }

  // Feature 173, 176, 177
  @Test(
    "Those that App Services documents have its names",
    arguments: [
      (101, "ErrorOtherError"), (104, "LimitsExceeded"), (206, "ErrorPermissionDenied"),
      (208, "ErrorBadClientFileIdent"), (211, "ErrorDivergingHistories"),
      (223, "ErrorClientFileUserMismatch"),
      (226, "ErrorBadQuery"), (228, "ErrorServerPermissionsChanged"), (229, "ErrorInitialSyncNotCompleted"),
      (230, "ErrorWriteNotAllowed"), (231, "ErrorCompensatingWrite"),
    ]
  )
  func documented(code: Int, name: String) {
    #expect(ErrorCode(rawValue: code).recordName == name)
  }
}
