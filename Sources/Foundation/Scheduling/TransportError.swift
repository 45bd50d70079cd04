// SPDX-License-Identifier: Apache-2.0

/// Why an operation of the network failed, with a text for people.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The causes that a program can tell apart.
  public enum Kind: Equatable, Sendable {
    /// The address to listen on is taken by another program.
    case addressInUse
    /// The address is malformed, or none of this machine's.
    case invalidAddress
    /// The operating system forbids it, for example a port below 1024.
    case permissionDenied
    /// Nothing listens at the address.
    case connectionRefused
    /// There is no route to the host.
    case unreachable
    /// The host's name does not resolve.
    case nameNotFound
    /// The TLS certificate of the peer is not trusted or not for its name.
    case certificateRejected
    /// TLS failed for another reason, or its configuration is unusable.
    case tlsFailed
    /// The operation took longer than allowed.
    case timedOut
    /// An established connection broke.
    case connectionLost
    /// The peer sent something that the protocol forbids.
    case protocolViolation
    /// The peer sent more than this side accepts, or refuses to accept what this side sent.
    case tooLarge
    /// The operation was cancelled, or its event loop stopped.
    case cancelled
    /// The operating system has no descriptors, threads or memory left.
    case noResources
    /// Any other failure of the operating system.
    case system
  }

  /// The kind of failure.
  public let kind: Kind
  /// A text for people: it names the operation that failed, the address or file, and, where there is one, the remedy.
  public let description: String

  /// Creates an error.
  /// - Parameters:
  ///   - kind: the kind of failure.
  ///   - description: a text for people.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
