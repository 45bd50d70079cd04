// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncServerSupport
import FlexSyncTransport
import Logging

/// Warnings at the start of a server that nothing keeps from starting: secrets that others on the
/// machine can read, and traffic that others on the network can.
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
