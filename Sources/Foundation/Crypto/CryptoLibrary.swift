// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// OpenSSL as a whole.
public enum CryptoLibrary {
  /// Makes OpenSSL set itself up now rather than at its first use, its clean-up at exit included. Safe from any thread.
  ///
  /// Exit handlers run in reverse order, so one that is registered after this call runs while OpenSSL still works.
  public static func prepare() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_LOAD_CRYPTO_STRINGS), nil)
  }
}
