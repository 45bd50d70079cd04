// SPDX-License-Identifier: Apache-2.0
/// @file A configuration as C sees it. Not API.
#ifndef FLEXSYNC_DETAIL_NATIVE_CONFIG_HPP
#define FLEXSYNC_DETAIL_NATIVE_CONFIG_HPP

#include <flexsync/config.hpp>

namespace flexsync {

/// The `flx_realm_config_t` of a configuration, which must outlive it. With callbacks, the next call that opens a realm
/// takes over their userdata; there must be exactly one.
class native_config {
 public:
  enum callbacks { with_callbacks, without_callbacks };

  native_config(const db_config &config, callbacks which)
      : classes_(config.classes_ ? *config.classes_ : default_classes(config), config.is_synced()) {
    native_.struct_size = sizeof native_;
    native_.path = detail::to_c(std::string_view(config.path_));
    native_.in_memory_name = detail::to_c(std::string_view(config.in_memory_name_));
    native_.user = config.user_.get();
    native_.classes = classes_.data();
    native_.class_count = classes_.size();
    native_.rerun_initial_subscriptions = config.reruns_initial_subscriptions_;
    native_.client_reset_mode = static_cast<flx_client_reset_mode_t>(config.client_reset_.mode);
    native_.starts_suspended = config.starts_suspended_;
    native_.refuse_unsubscribed_objects = config.refuses_unsubscribed_objects_;
    native_.rejected_write_limit = config.rejected_write_limit_;
    native_.may_change_thread_in_write = config.may_change_thread_in_write_;
    native_.read_only = config.read_only_;
    native_.schema_mode = static_cast<flx_schema_mode_t>(config.schema_mode_);
    native_.schema_version = config.schema_version_;
    native_.seed_path = detail::to_c(std::string_view(config.seed_path_));
    native_.maximum_active_versions = config.maximum_active_versions_;
    native_.fail_opening_at_first_error = config.fails_opening_at_first_error_;
    if (which == with_callbacks) set_callbacks(config);
  }
  const flx_realm_config_t *get() const noexcept { return &native_; }

 private:
  static std::vector<detail::describe_function> default_classes(const db_config &config) {
    if (config.schema_mode_ == schema_mode::from_file) return {};
    return detail::program_classes();
  }
  void set_callbacks(const db_config &config);

  detail::class_list classes_;
  flx_realm_config_t native_{};
};

}  // namespace flexsync

#endif
