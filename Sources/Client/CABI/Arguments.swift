// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The address to which a function writes a result.
public typealias Out<Value> = UnsafeMutablePointer<Value>

/// The address to which a function writes a handle that the program must release.
public typealias HandleOut = Out<OpaquePointer?>

/// The address to which a function writes its error; NULL if the program does not need it.
public typealias ErrorOut = UnsafeMutablePointer<flx_error_t>?
