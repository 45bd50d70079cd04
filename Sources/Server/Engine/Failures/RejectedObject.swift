// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// An object that a changeset is not allowed to change.
struct RejectedObject {
  let object: ObjectReference
  let refusal: WriteRefusal
}
