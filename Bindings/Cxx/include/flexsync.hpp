// SPDX-License-Identifier: Apache-2.0
/// @file FlexSync for C++17: an offline-first object database that syncs. Header-only, over the C interface
/// (flexsync.h).
///
/// Docs/Cxx.md is the tutorial. The headers by concern:
///
/// | header | |
/// |---|---|
/// | schema.hpp | declaring classes |
/// | realm.hpp, config.hpp | opening realms, transactions, adding and finding objects, references, migrations |
/// | object.hpp, collections.hpp, values.hpp | objects and what is in them |
/// | query.hpp, results.hpp | queries and live results |
/// | subscription.hpp | what is on the device |
/// | session.hpp, rejected_write.hpp | sync |
/// | app.hpp | apps, users, ways to log in, API keys |
/// | error.hpp | `flexsync::error`, which all of them throw |
///
/// Callbacks are kept as `std::function`s until they can no longer be called. An exception that leaves one ends the
/// process, because it cannot pass the library. Futures do not wait when they are destroyed.
///
/// Names in `flexsync::detail`, names that begin with `flexsync_`, `FLEXSYNC_…_` macros and functions whose comment
/// says "Not API" may change in any version.
#ifndef FLEXSYNC_HPP
#define FLEXSYNC_HPP

#include <flexsync/app.hpp>

#endif
