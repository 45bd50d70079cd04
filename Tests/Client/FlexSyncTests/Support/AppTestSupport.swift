// SPDX-License-Identifier: Apache-2.0

// Nearly every test here starts a server.
@_exported import FlexSyncAppTestSupport
