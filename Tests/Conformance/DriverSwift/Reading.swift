// SPDX-License-Identifier: Apache-2.0

import FlexSync

/// The class of the scenarios that is only uploaded.
class Reading: AsymmetricObject {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var sensor: String
  @Persisted var count: Int
  @Persisted var site: Site?
}

class Site: EmbeddedObject {
  @Persisted var name: String
}
