// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Foundation
import Testing

/// `FLX_STATUS_MAP` is a macro that Swift cannot expand: the library's table has to say the same.
@Suite struct StatusTableTests {
  @Test func theLibraryKnowsEveryStatusOfTheHeader() throws {
    let header = try String(contentsOfFile: "\(PackageFolder.root)/Include/flexsync/error.h", encoding: .utf8)
    let entries = header.matches(of: /XX\(([A-Z_]+), ([0-9]+), +"([^"]+)"\)/)
    #expect(entries.count > 50)
    for entry in entries {
      let number = try #require(Int32(entry.2))
      let status = try #require(flx_status_t(rawValue: number))
      #expect(String(cString: flx_status_name(status)) == entry.1)
      #expect(String(cString: flx_status_meaning(status)) == entry.3)
    }
  }
}
