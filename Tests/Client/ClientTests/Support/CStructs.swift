// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// Structs that programs fill in, without the room that they leave for later members.

extension flx_credentials_t {
  init(kind: flx_credentials_kind_t, name: flx_string_t, secret: flx_string_t) {
    self.init()
    (self.kind, self.name, self.secret) = (kind, name, secret)
  }
}

extension flx_sort_key_t {
  init(key_path: flx_string_t, is_ascending: Bool) {
    self.init()
    (self.key_path, self.is_ascending) = (key_path, is_ascending)
  }
}

extension flx_query_argument_t {
  init(values: UnsafePointer<flx_value_t>?, count: Int, is_list: Bool) {
    self.init()
    (self.values, self.count, self.is_list) = (values, count, is_list)
  }
}
