// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncServerSupport
import FlexSyncTransport
import Logging

/// Startup warnings that do not prevent the server from starting: secrets readable by others on the machine, and
/// traffic readable by others on the network.
struct StartWarnings {
  private let configuration: ServerConfiguration
  private let endpoint: Endpoint

  init(_ configuration: ServerConfiguration, listening endpoint: Endpoint) {
    self.configuration = configuration
    self.endpoint = endpoint
  }

  func log() {
    for warning in texts { configuration.logger.warning("\(warning)") }
  }

  var texts: [String] {
    var texts = secretFiles.filter(FileSystem.isReadableByAll).map {
      "\($0) is a secret, and everybody on this machine can read it; chmod 600 it"
    }
    if configuration.tlsCertificate == nil, !ClientAddress.isLoopback(endpoint.host) {
      texts.append(
        "the server speaks plain HTTP on \(endpoint): everybody on the way can read and change what is sent. Give it "
          + "--tls-certificate and --tls-key, unless only a proxy that ends TLS can reach it"
      )
    }
    return texts
  }

  private var secretFiles: [String] {
    ["\(configuration.dataFolder)/token.key"] + [configuration.tlsKey].compactMap { $0 }
      + configuration.appDirectories.map { "\($0)/secrets.json" }
  }
}
