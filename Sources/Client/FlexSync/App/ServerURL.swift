// SPDX-License-Identifier: Apache-2.0

extension String {
  /// A server's URL that may have been given without its scheme: `http` for this machine, `https` for all others.
  var withServerScheme: String {
    guard !isEmpty, !contains("://") else { return self }
    let isThisMachine = ["localhost", "127.", "[::1]"].contains(where: hasPrefix)
    return (isThisMachine ? "http://" : "https://") + self
  }
}
