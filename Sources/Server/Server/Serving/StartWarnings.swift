// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncServerSupport
import FlexSyncTransport
import Logging

/// Startup warnings that do not prevent the server from starting: secrets readable by others on the machine,
/// traffic readable by others on the network, and a certificate that clients do not accept.
struct StartWarnings {
  private let configuration: ServerConfiguration
  private let endpoint: Endpoint
  /// The time during which the certificate is valid, in seconds from now; nil without TLS.
  private let validity: ClosedRange<Int>?

  init(
    _ configuration: ServerConfiguration,
    listening endpoint: Endpoint,
    certificateValidity validity: ClosedRange<Int>? = nil
  ) {
    self.configuration = configuration
    self.endpoint = endpoint
    self.validity = validity
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
    return texts + [certificateWarning].compactMap { $0 }
  }

  /// The number of seconds before the end of a certificate at which a start warns of it.
  private static let noticeSeconds = 14 * 86_400

  private var certificateWarning: String? {
    guard let validity, let file = configuration.tlsCertificate else { return nil }
    func days(_ seconds: Int) -> String {
      seconds < 2 * 86_400 ? "\(seconds / 3_600) hours" : "\(seconds / 86_400) days"
    }
    if validity.upperBound <= 0 {
      return
        "the certificate in \(file) expired \(days(-validity.upperBound)) ago, so clients refuse to connect. Renew it, "
        + "and restart the server"
    }
    if validity.lowerBound > 0 {
      return
        "the certificate in \(file) is not valid for another \(days(validity.lowerBound)), so clients refuse to "
        + "connect. Check the clock of this machine, or use another certificate"
    }
    guard validity.upperBound < StartWarnings.noticeSeconds else { return nil }
    return
      "the certificate in \(file) expires in \(days(validity.upperBound)). Renew it, and restart the server"
  }

  private var secretFiles: [String] {
    ["\(configuration.dataFolder)/token.key"] + [configuration.tlsKey].compactMap { $0 }
      + configuration.appDirectories.map { "\($0)/secrets.json" }
  }
}
