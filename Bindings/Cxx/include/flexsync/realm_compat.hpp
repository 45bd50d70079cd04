// SPDX-License-Identifier: Apache-2.0
/// @file The names of Realm C++, for programs that come from there. Docs/Cxx.md says what differs.
#ifndef FLEXSYNC_REALM_COMPAT_HPP
#define FLEXSYNC_REALM_COMPAT_HPP

#include <flexsync.hpp>

namespace realm = flexsync;

#define REALM_SCHEMA(cls, ...) FLEXSYNC_SCHEMA(cls, __VA_ARGS__)
#define REALM_EMBEDDED_SCHEMA(cls, ...) FLEXSYNC_EMBEDDED_SCHEMA(cls, __VA_ARGS__)
#define REALM_ASYMMETRIC_SCHEMA(cls, ...) FLEXSYNC_ASYMMETRIC_SCHEMA(cls, __VA_ARGS__)

#endif
