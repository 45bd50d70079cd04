// SPDX-License-Identifier: Apache-2.0
/// @file Rejected writes: changes that the server did not accept, kept until the program resubmits or discards them.
/// See flexsync/rejected_write.h, and `db::rejected_writes`.
#ifndef FLEXSYNC_REJECTED_WRITE_HPP
#define FLEXSYNC_REJECTED_WRITE_HPP

#include <flexsync/values.hpp>

namespace flexsync {

enum class rejected_write_state : int {
  /// Waiting to be resubmitted or discarded.
  kept = FLX_REJECTED_WRITE_KEPT,
  /// Resubmitted, and not yet answered.
  resubmitted = FLX_REJECTED_WRITE_RESUBMITTED,
};

/// A change to one object that the server did not accept, as it was when it was read.
struct rejected_write {
  explicit rejected_write(const flx_rejected_write_t &native)
      : id(native.id),
        object_class_name(detail::string(native.class_name)),
        primary_key(detail::from_c(native.primary_key)),
        reason(detail::string(native.reason)),
        state(static_cast<rejected_write_state>(native.state)),
        written_at(native.written_at),
        rejected_at(native.rejected_at),
        has_changes(native.has_changes) {}

  /// Identifies the write in its file; never reused.
  int64_t id;
  std::string object_class_name;
  mixed primary_key;
  /// The reason given by the server.
  std::string reason;
  rejected_write_state state;
  timestamp written_at, rejected_at;
  /// False if the changes are lost; the write cannot be resubmitted then.
  bool has_changes;
};

}  // namespace flexsync

#endif
