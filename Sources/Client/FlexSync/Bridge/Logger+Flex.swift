// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Makes the library pass its log lines to a function, or write them itself if that is nil.
func flexSetLogger(_ level: LogLevel, _ function: Logger.LogFunction?) {
  let threshold = flx_log_level_t(rawValue: Int32(level.rawValue)) ?? .FLX_LOG_WARN
  guard let function else { return flx_set_logger(threshold, nil, nil, nil) }
  let box = CallbackBox<Logger.LogFunction>.retained(function)
  flx_set_logger(threshold, callLogFunction, box, freeCallbackBox)
}

private let callLogFunction: flx_log_callback_t = { box, level, message in
  CallbackBox<Logger.LogFunction>.callback(in: box)(
    LogLevel(rawValue: UInt32(level.rawValue)) ?? .info,
    String(message)
  )
}
