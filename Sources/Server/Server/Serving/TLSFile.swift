// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport

/// A PEM file of the server's certificate. Checked before OpenSSL reads it, whose words do not say what is wrong with
/// such a file.
enum TLSFile {
  case certificate
  case key

  private var option: String {
    switch self {
    case .certificate: "--tls-certificate"
    case .key: "--tls-key"
    }
  }

  /// The kind of PEM block that the file must have.
  private var content: String {
    switch self {
    case .certificate: "certificate"
    case .key: "private key"
    }
  }

  /// - Throws: `ServerError` if the file cannot be what it is for, `FileError` if it may not be read.
  func check(_ path: String) throws {
    switch try FileSystem.entry(at: path) {
    case .nothing: throw ServerError("\(option): there is no file \(path)")
    case .folder: throw ServerError("\(option): \(path) is a folder; name a PEM file in it")
    case .file: break
    }
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("-----BEGIN ") }
    guard !lines.isEmpty else {
      throw ServerError(
        "\(option): \(path) is not a PEM file, which has lines such as -----BEGIN \(content.uppercased())-----; "
          + "openssl converts other forms"
      )
    }
    guard lines.contains(where: { $0.contains("\(content.uppercased())-----") }) else {
      throw ServerError("\(option): \(path) has no \(content)")
    }
  }
}
