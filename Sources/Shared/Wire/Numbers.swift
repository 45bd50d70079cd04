// SPDX-License-Identifier: Apache-2.0

/// The number of a session on its connection, chosen by the client; 0 refers to the connection.
public typealias SessionIdent = UInt64

/// The number that the server assigned to a client's file; 0 means "none yet".
public typealias FileIdent = UInt64

/// A version in a client's history, which increases with every local commit. At most `Int64.max`.
public typealias ClientVersion = UInt64

/// A version in the server's stream for one client file. At most `Int64.max`.
public typealias ServerVersion = UInt64

/// The version of a client file's subscription set. At most `Int64.max`.
public typealias QueryVersion = UInt64

/// The number of a MARK, chosen by the client.
public typealias MarkIdent = UInt64
