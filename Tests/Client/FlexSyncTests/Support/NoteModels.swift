// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// Decimals, and what can hold anything.
class Note: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var price: Decimal128
  @Persisted var discount: Decimal128?
  @Persisted var prices: List<Decimal128>
  @Persisted var limits: Map<String, Decimal128?>
  @Persisted var tax: Decimal128 = "0.19"
  @Persisted var any: AnyRealmValue
  @Persisted var anything: List<AnyRealmValue>
  @Persisted var byName: Map<String, AnyRealmValue>
}
