// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// Retaining and releasing handles of objects that need nothing else to be done. Those whose release has a meaning of
// its own are with the other functions of their type.

@_cdecl("flx_app_retain") @implementation
public func flx_app_retain(_ app: OpaquePointer) -> OpaquePointer {
  Handle.retain(app, as: App.self)
}

@_cdecl("flx_app_release") @implementation
public func flx_app_release(_ app: OpaquePointer?) { Handle.release(app, as: App.self) }

@_cdecl("flx_user_retain") @implementation
public func flx_user_retain(_ user: OpaquePointer) -> OpaquePointer {
  Handle.retain(user, as: User.self)
}

@_cdecl("flx_user_release") @implementation
public func flx_user_release(_ user: OpaquePointer?) { Handle.release(user, as: User.self) }

@_cdecl("flx_session_retain") @implementation
public func flx_session_retain(_ session: OpaquePointer) -> OpaquePointer {
  Handle.retain(session, as: SyncSession.self)
}

@_cdecl("flx_session_release") @implementation
public func flx_session_release(_ session: OpaquePointer?) { Handle.release(session, as: SyncSession.self) }

@_cdecl("flx_results_retain") @implementation
public func flx_results_retain(_ results: OpaquePointer) -> OpaquePointer {
  Handle.retain(results, as: Results.self)
}

@_cdecl("flx_results_release") @implementation
public func flx_results_release(_ results: OpaquePointer?) { Handle.release(results, as: Results.self) }

@_cdecl("flx_object_retain") @implementation
public func flx_object_retain(_ object: OpaquePointer) -> OpaquePointer {
  Handle.retain(object, as: ManagedObject.self)
}

@_cdecl("flx_object_release") @implementation
public func flx_object_release(_ object: OpaquePointer?) { Handle.release(object, as: ManagedObject.self) }

@_cdecl("flx_list_retain") @implementation
public func flx_list_retain(_ list: OpaquePointer) -> OpaquePointer {
  Handle.retain(list, as: ManagedList.self)
}

@_cdecl("flx_set_retain") @implementation
public func flx_set_retain(_ set: OpaquePointer) -> OpaquePointer {
  Handle.retain(set, as: ManagedSet.self)
}

@_cdecl("flx_dictionary_retain") @implementation
public func flx_dictionary_retain(_ dictionary: OpaquePointer) -> OpaquePointer {
  Handle.retain(dictionary, as: ManagedDictionary.self)
}

@_cdecl("flx_query_retain") @implementation
public func flx_query_retain(_ query: OpaquePointer) -> OpaquePointer {
  Handle.retain(query, as: PreparedQuery.self)
}

@_cdecl("flx_subscription_set_retain") @implementation
public func flx_subscription_set_retain(_ set: OpaquePointer) -> OpaquePointer {
  Handle.retain(set, as: SubscriptionSet.self)
}

@_cdecl("flx_rejected_writes_retain") @implementation
public func flx_rejected_writes_retain(_ writes: OpaquePointer) -> OpaquePointer {
  Handle.retain(writes, as: RejectedWriteList.self)
}

@_cdecl("flx_notification_token_retain") @implementation
public func flx_notification_token_retain(_ token: OpaquePointer) -> OpaquePointer {
  Handle.retain(token, as: NotificationToken.self)
}

@_cdecl("flx_notification_token_stop") @implementation
public func flx_notification_token_stop(_ token: OpaquePointer) {
  // In the child of a fork, the thread that is in the callback does not exist.
  guard !ForkGuard.isChild else { return }
  Handle.object(token, as: NotificationToken.self).stop()
}

@_cdecl("flx_list_release") @implementation
public func flx_list_release(_ list: OpaquePointer?) { Handle.release(list, as: ManagedList.self) }

@_cdecl("flx_set_release") @implementation
public func flx_set_release(_ set: OpaquePointer?) { Handle.release(set, as: ManagedSet.self) }

@_cdecl("flx_dictionary_release") @implementation
public func flx_dictionary_release(_ dictionary: OpaquePointer?) {
  Handle.release(dictionary, as: ManagedDictionary.self)
}

@_cdecl("flx_query_release") @implementation
public func flx_query_release(_ query: OpaquePointer?) { Handle.release(query, as: PreparedQuery.self) }

@_cdecl("flx_subscription_set_release") @implementation
public func flx_subscription_set_release(_ set: OpaquePointer?) {
  Handle.release(set, as: SubscriptionSet.self)
}

@_cdecl("flx_rejected_writes_release") @implementation
public func flx_rejected_writes_release(_ writes: OpaquePointer?) {
  Handle.release(writes, as: RejectedWriteList.self)
}

@_cdecl("flx_notification_token_release") @implementation
public func flx_notification_token_release(_ token: OpaquePointer?) {
  // Releasing the token ends the observation.
  Handle.release(token, as: NotificationToken.self)
}
