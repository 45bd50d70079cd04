// SPDX-License-Identifier: Apache-2.0

#if !canImport(ObjectiveC)

/// Calls a function. Code for Apple's platforms lets go of its realms with this, where Objective-C would keep them longer;
/// here nothing outlives its last reference, so there is nothing else to do.
// Disfavored, because programs that are built here too may have one of their own from another module.
@_disfavoredOverload
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}

#endif
