/* SPDX-License-Identifier: Apache-2.0 */
/* The layout that callers compile against: a change here is a change of the ABI. */
#include "flexsync.h"

#include <stddef.h>

_Static_assert(sizeof(flx_value_t) == 24, "flx_value_t is ABI");
_Static_assert(offsetof(flx_value_t, type) == 16, "flx_value_t is ABI");
_Static_assert(sizeof(flx_status_t) == 4, "flx_status_t is ABI");
_Static_assert(offsetof(flx_error_t, message) == 8, "flx_error_t is ABI");
_Static_assert(sizeof(flx_link_t) == 16, "flx_link_t is ABI");
_Static_assert(sizeof(flx_decimal_t) == 16, "flx_decimal_t is ABI");
_Static_assert(sizeof(flx_timestamp_t) == 16, "flx_timestamp_t is ABI");
_Static_assert(sizeof(flx_object_id_t) == 12, "flx_object_id_t is ABI");
_Static_assert(offsetof(flx_sync_timeouts_t, struct_size) == 0, "flx_sync_timeouts_t is ABI");
_Static_assert(offsetof(flx_sync_timeouts_t, fast_reconnect_ms) == 40, "flx_sync_timeouts_t is ABI");
_Static_assert(sizeof(flx_http_header_t) == 32, "flx_http_header_t is ABI");
_Static_assert(sizeof(flx_http_request_t) == 104, "flx_http_request_t is ABI");
_Static_assert(sizeof(flx_http_response_t) == 72, "flx_http_response_t is ABI");
_Static_assert(sizeof(flx_progress_t) == 24, "flx_progress_t is ABI");
_Static_assert(offsetof(flx_column_t, struct_size) == 0, "flx_column_t is ABI");
_Static_assert(offsetof(flx_column_t, property) == 8, "flx_column_t is ABI");
_Static_assert(offsetof(flx_column_t, type) == 12, "flx_column_t is ABI");
_Static_assert(offsetof(flx_column_t, values) == 16, "flx_column_t is ABI");
_Static_assert(offsetof(flx_column_t, validity) == 24, "flx_column_t is ABI");
_Static_assert(offsetof(flx_column_t, offsets) == 32, "flx_column_t is ABI");
_Static_assert(offsetof(flx_column_t, bytes) == 40, "flx_column_t is ABI");
_Static_assert(offsetof(flx_column_t, byte_capacity) == 48, "flx_column_t is ABI");

/* Structs with room for later members keep their size. */
_Static_assert(sizeof(flx_error_t) == 1672, "flx_error_t is ABI");
_Static_assert(sizeof(flx_property_info_t) == 80, "flx_property_info_t is ABI");
_Static_assert(sizeof(flx_class_info_t) == 80, "flx_class_info_t is ABI");
_Static_assert(sizeof(flx_query_argument_t) == 40, "flx_query_argument_t is ABI");
_Static_assert(sizeof(flx_sort_key_t) == 40, "flx_sort_key_t is ABI");
_Static_assert(sizeof(flx_credentials_t) == 72, "flx_credentials_t is ABI");
_Static_assert(sizeof(flx_user_identity_t) == 48, "flx_user_identity_t is ABI");
_Static_assert(sizeof(flx_api_key_t) == 88, "flx_api_key_t is ABI");
_Static_assert(sizeof(flx_subscription_t) == 128, "flx_subscription_t is ABI");
_Static_assert(sizeof(flx_rejected_write_t) == 144, "flx_rejected_write_t is ABI");
_Static_assert(sizeof(flx_compensating_write_t) == 72, "flx_compensating_write_t is ABI");
