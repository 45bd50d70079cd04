// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Controls OpenSSL's global state.
public enum CryptoLibrary {
  /// Makes OpenSSL initialise itself now rather than on first use, including its clean-up at exit. Safe from any
  /// thread.
  ///
  /// Exit handlers run in reverse order, so a handler registered after this call runs while OpenSSL is still usable.
  public static func prepare() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_LOAD_CRYPTO_STRINGS), nil)
  }
}
