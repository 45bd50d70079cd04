// SPDX-License-Identifier: Apache-2.0

/// The reason a network operation failed, with a description for people.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The causes that a program can distinguish.
  public enum Kind: Equatable, Sendable {
    /// Another program already uses the address to listen on.
    case addressInUse
    /// The address is malformed, or does not belong to this machine.
    case invalidAddress
    /// The operating system denies the operation, for example for a port below 1024.
    case permissionDenied
    /// Nothing is listening at the address.
    case connectionRefused
    /// There is no route to the host.
    case unreachable
    /// The host's name does not resolve.
    case nameNotFound
    /// The peer's TLS certificate is not trusted, or not valid for its name.
    case certificateRejected
    /// TLS failed for another reason, or its configuration is unusable.
    case tlsFailed
    /// The operation exceeded its time limit.
    case timedOut
    /// An established connection broke.
    case connectionLost
    /// The peer sent something that the protocol forbids.
    case protocolViolation
    /// The peer sent more than this side accepts, or rejected the size of what this side sent.
    case tooLarge
    /// The operation was cancelled, or its event loop stopped.
    case cancelled
    /// The operating system has run out of descriptors, threads or memory.
    case noResources
    /// Any other failure of the operating system.
    case system
  }

  /// The kind of failure.
  public let kind: Kind
  /// A description for people: the operation that failed, the address or file, and, if there is one, the remedy.
  public let description: String

  /// Creates an error.
  /// - Parameters:
  ///   - kind: The kind of failure.
  ///   - description: A description for people.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
