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
      "\($0) is secret, but everybody on this machine can read it; run chmod 600 on it"
    }
    if configuration.tlsCertificate == nil, !ClientAddress.isLoopback(endpoint.host) {
      texts.append(
        "the server uses plain HTTP on \(endpoint): anybody on the network path can read and change the "
          + "traffic. Set --tls-certificate and --tls-key, unless only a proxy that terminates TLS can reach the "
          + "server"
      )
    }
    return texts
  }

  private var secretFiles: [String] {
    ["\(configuration.dataFolder)/token.key"] + [configuration.tlsKey].compactMap { $0 }
      + configuration.appDirectories.map { "\($0)/secrets.json" }
  }
}
