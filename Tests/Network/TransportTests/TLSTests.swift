// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Foundation
import Testing

@testable import FlexSyncScheduling
@testable import FlexSyncTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A certificate authority of the tests' own, with certificates for `localhost` and 127.0.0.1 and for another
/// host, made by the `openssl` command.
final class Authority: Sendable {
  let directory: String
  static let shared = try? Authority()

  private init() throws {
    var template = Array("\(FileManager.default.temporaryDirectory.path)/flexsync-tls-XXXXXX".utf8CString)
    directory = String(cString: try #require(mkdtemp(&template)))
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    let script = """
      set -e; cd \(directory); exec 2>/dev/null
      openssl req -x509 \(key) -keyout ca.key -out ca.pem -days 2 -subj /CN=Tests
      openssl req -x509 \(key) -keyout other-ca.key -out other-ca.pem -days 2 -subj /CN=Others
      make() {
        openssl req \(key) -keyout $1.key -out $1.csr -subj /CN=$1
        printf 'subjectAltName=%s\\n' "$2" > $1.ext
        openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $1.pem -days $3 -extfile $1.ext
      }
      make server DNS:localhost,IP:127.0.0.1 2
      make stranger DNS:example.org 2
      make expired DNS:localhost,IP:127.0.0.1 -1
      openssl ec -in server.key -aes256 -passout pass:secret -out encrypted.key
      """
    try #require(system(script) == 0)
  }

  deinit { system("rm -r \(directory)") }

  func server(_ name: String = "server") throws -> TLSContext {
    try .server(certificateFile: "\(directory)/\(name).pem", keyFile: "\(directory)/\(name).key")
  }

  func client(_ name: String = "ca") throws -> TLSContext {
    try .client(trust: .authorities(file: "\(directory)/\(name).pem"))
  }
}

@Suite("TLS")
struct TLSTests {
  private let authority: Authority

  init() throws {
    authority = try #require(Authority.shared, "the openssl command is needed for these tests")
  }

  private func server(_ loop: EventLoop, _ context: TLSContext) throws -> HTTPServer {
    var configuration = HTTPServerConfiguration()
    configuration.tls = context
    return HTTPServer(
      loop: loop,
      configuration: configuration,
      upgradeHandler: { upgrade in
        let socket = upgrade.accept(subprotocol: nil)
        socket?.onMessage = { socket?.send($0) }
      },
      handler: { $1.respond(HTTPResponse(status: 200, contentType: "x/y", body: $0.body)) }
    )
  }

  private func request(
    host: String = "localhost",
    server: TLSContext,
    client: TLSContext
  ) throws -> Result<HTTPResponse, TransportError> {
    try onLoop { scenario in
      let endpoint = try scenario.keep(self.server(scenario.loop, server)).listen(on: .anyLocal)
      let url = try WebURL(parsing: "https://\(host):\(endpoint.port)/")
      let body = [UInt8](repeating: 5, count: 300_000)
      HTTPClient(loop: scenario.loop, tls: client).send(
        HTTPClientRequest(method: "POST", url: url, body: body)
      ) {
        scenario.finish($0)
      }
    }
  }

  private func failure(_ result: Result<HTTPResponse, TransportError>) -> TransportError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }

  @Test(
    "A certificate of the trusted authority is accepted, by name and by address",
    arguments: ["localhost", "127.0.0.1"]
  )
  func accepted(host: String) throws {
    let response = try request(host: host, server: authority.server(), client: authority.client()).get()
    #expect(response.body == [UInt8](repeating: 5, count: 300_000))
  }

  @Test("Certificates of another authority, for another host, or expired are rejected with the reason")
  func rejected() throws {
    let cases = try [
      (authority.server(), authority.client("other-ca"), "unable to get local issuer"),
      (authority.server(), TLSContext.client(), "unable to get local issuer"),
      (authority.server("stranger"), authority.client(), "ostname mismatch"),
      (authority.server("expired"), authority.client(), "expired"),
    ]
    for (server, client, reason) in cases {
      let error = try #require(failure(try request(server: server, client: client)))
      #expect(error.kind == .certificateRejected)
      #expect(error.description.contains("localhost"))
      #expect(error.description.contains(reason))
      let isUnknown = reason.contains("issuer")
      #expect(error.description.contains("trusted_certificates_file") == isUnknown)
    }
    let address = try request(
      host: "127.0.0.1",
      server: authority.server("stranger"),
      client: authority.client()
    )
    #expect(failure(address)?.kind == .certificateRejected)
  }

  @Test("Unusable files are named")
  func files() throws {
    let directory = authority.directory
    let attempts: [() throws -> TLSContext] = [
      { try .client(trust: .authorities(file: "/no/such/file")) },
      { try .server(certificateFile: "/no/such/file", keyFile: "\(directory)/server.key") },
      { try .server(certificateFile: "\(directory)/server.pem", keyFile: "\(directory)/stranger.key") },
      { try .server(certificateFile: "\(directory)/server.key", keyFile: "\(directory)/server.key") },
    ]
    for attempt in attempts {
      let error = #expect(throws: TransportError.self) { try attempt() }
      #expect(error?.kind == .tlsFailed)
      #expect(error?.description.contains("/") == true)
    }
  }

  @Test("The reason why a file is unusable is that of the operating system or of OpenSSL")
  func reasons() throws {
    let directory = authority.directory
    func reason(_ certificate: String, _ key: String) -> String {
      let error = #expect(throws: TransportError.self) {
        try TLSContext.server(certificateFile: "\(directory)/\(certificate)", keyFile: "\(directory)/\(key)")
      }
      return error?.description ?? ""
    }
    #expect(reason("missing.pem", "server.key").hasSuffix("No such file or directory"))
    #expect(reason("server.pem", "missing.key").hasSuffix("No such file or directory"))
    #expect(reason("server.key", "server.key").hasSuffix("no start line"))
    #expect(reason("server.pem", "stranger.key").hasSuffix("key values mismatch"))
  }

  @Test("An encrypted key is an error that says what to do, and asks for no password on the terminal")
  func encryptedKey() {
    let directory = authority.directory
    let error = #expect(throws: TransportError.self) {
      try TLSContext.server(certificateFile: "\(directory)/server.pem", keyFile: "\(directory)/encrypted.key")
    }
    #expect(error?.description.contains("is encrypted with a password") == true)
    #expect(error?.description.contains("openssl pkey -in \(directory)/encrypted.key") == true)
  }

  @Test("A server knows how long its certificate is valid")
  func validity() throws {
    let valid = try #require(authority.server().certificateValidity)
    #expect(valid.lowerBound <= 0 && (86_400...2 * 86_400).contains(valid.upperBound))
    #expect(try #require(authority.server("expired").certificateValidity).upperBound < 0)
    #expect(try authority.client().certificateValidity == nil)
  }

  @Test("A plain client at a TLS server, and a TLS client at a plain server, fail alone")
  func mixedUp() throws {
    let plain: String = try onLoop { scenario in
      let server = try scenario.keep(self.server(scenario.loop, authority.server()))
      RawClient(scenario.loop, try server.listen(on: .anyLocal), "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        .onClose = {
          scenario.finish($0)
        }
    }
    #expect(!plain.contains("HTTP"))
    let error: TransportError? = try onLoop { scenario in
      let server = scenario.keep(HTTPServer(loop: scenario.loop) { _, _ in })
      let url = try WebURL(parsing: "https://localhost:\(try server.listen(on: .anyLocal).port)/")
      HTTPClient(loop: scenario.loop, tls: try authority.client()).send(
        HTTPClientRequest(method: "GET", url: url)
      ) {
        scenario.finish(failure($0))
      }
    }
    #expect(error?.kind == .tlsFailed)
  }

  @Test("Random bytes instead of a handshake, or in it, only end their connection")
  func garbage() throws {
    let errors: [TransportError.Kind] = try onLoop { scenario in
      let server = scenario.keep(try self.server(scenario.loop, authority.server()))
      var errors: [TransportError.Kind] = []
      server.onConnectionError = { client, error in
        #expect(client?.host == "127.0.0.1")
        errors.append(error.kind)
        if errors.count == 30 { scenario.finish(errors) }
      }
      let endpoint = try server.listen(on: .anyLocal)
      for seed in 0..<30 {
        var random = SeededGenerator(seed: UInt64(seed))
        let noise = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
        let record: [UInt8] = seed % 2 == 0 ? [0x16, 3, 1, 1, 0x80] : []
        RawClient(scenario.loop, endpoint, pieces: [record + noise])
      }
    }
    #expect(errors == [TransportError.Kind](repeating: .tlsFailed, count: 30))
  }

  @Test("Messages of all sizes pass a secure web socket, in order")
  func webSocket() throws {
    let sizes = [1, 100, 16_384, 16_385, 65_536, 3_000_000, 0, 7]
    let result: String = try onLoop { scenario in
      let endpoint = try scenario.keep(self.server(scenario.loop, authority.server())).listen(on: .anyLocal)
      let url = try WebURL(parsing: "wss://localhost:\(endpoint.port)/")
      scenario.exchange(sizes, at: url, tls: try authority.client())
    }
    #expect(result == "closed well")
  }

  @Test("Frames in the same packet as the answer to the handshake are not lost")
  func earlyFrames() throws {
    let text: String = try onLoop { scenario in
      var configuration = HTTPServerConfiguration()
      configuration.tls = try authority.server()
      let server = scenario.keep(
        HTTPServer(
          loop: scenario.loop,
          configuration: configuration,
          upgradeHandler: { upgrade in
            let socket = upgrade.accept(subprotocol: nil)
            for number in 0..<50 {
              socket?.send([UInt8](repeating: UInt8(ascii: "a") + UInt8(number % 26), count: 1_000))
            }
            socket?.drop()
          },
          handler: { _, _ in }
        )
      )
      let url = try WebURL(parsing: "wss://localhost:\(try server.listen(on: .anyLocal).port)/")
      WebSocketClient(loop: scenario.loop, tls: try authority.client()).connect(url) { outcome in
        guard case .connected(let socket) = outcome else { return scenario.finish("\(outcome)") }
        var count = 0
        socket.onMessage = { _ in count += 1 }
        socket.onClose = { scenario.finish("\(count) \($0.error == nil)") }
      }
    }
    #expect(text == "50 true")
  }

  @Test("A stream that ends without TLS's goodbye is a lost connection")
  func truncation() throws {
    let error: TransportError? = try onLoop { scenario in
      let context = try authority.server()
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        do {
          connection.secure(with: try TLSSession(context: context, serverName: nil))
        } catch {
          scenario.fail(error)
        }
        connection.onSecured = { connection.close() }
        connection.start()
      }
      let endpoint = Endpoint(host: "localhost", port: listener.endpoint.port)
      Connection.connect(loop: scenario.loop, to: endpoint, tls: try authority.client()) { result in
        switch result {
        case .success(let connection):
          connection.onClose = { scenario.finish($0) }
          connection.start()
        case .failure(let error): scenario.finish(error)
        }
      }
    }
    #expect(error?.kind == .connectionLost)
  }

  @Test("A connection that only encryption makes unwritable tells when it is writable again")
  func writableAfterEncryption() throws {
    let isTold: Bool = try onLoop { scenario in
      let context = try authority.server()
      var options = ConnectionOptions()
      options.highWaterMark = 200_000
      var client: Connection?
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal, options: options) { connection in
        do {
          connection.secure(with: try TLSSession(context: context, serverName: nil))
        } catch {
          scenario.fail(error)
        }
        // Up to the mark in each turn, until the system takes no more.
        var filling: (any ScheduledTimer)?
        filling = scenario.loop.startTimer(everyMilliseconds: 1) {
          guard client != nil else { return }
          guard connection.isWritable else {
            filling?.cancel()
            client?.resumeReading()
            return
          }
          connection.write([UInt8](repeating: 7, count: options.highWaterMark - connection.queuedBytes))
        }
        connection.onWritable = { scenario.finish(true) }
        connection.start()
      }
      let endpoint = Endpoint(host: "localhost", port: listener.endpoint.port)
      Connection.connect(loop: scenario.loop, to: endpoint, tls: try authority.client()) { result in
        guard case .success(let connection) = result else { return scenario.finish(false) }
        connection.start()
        connection.pauseReading()
        client = scenario.keep(connection)
      }
    }
    #expect(isTold)
  }
}
