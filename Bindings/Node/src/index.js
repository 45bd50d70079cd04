// SPDX-License-Identifier: Apache-2.0
/** FlexSync for Node.js: an offline-first object database that stays in sync with a server, in the shape of Realm's SDK. */
import { ApiKeyAuth, App, Credentials, EmailPasswordAuth, User, UserState } from "./app.js";
import { Decimal128, ObjectId, UUID } from "./bson.js";
import { Dictionary, List, OrderedCollection, RealmCollection, RealmSet } from "./collections.js";
import { ClientResetMode, OpenRealmBehaviorType, OpenRealmTimeOutBehavior } from "./configuration.js";
import { CompensatingWriteError, FlexSyncError, SyncError } from "./errors.js";
import { raw } from "./library.js";
import { RealmObject } from "./objects.js";
import { Realm, UpdateMode } from "./realm.js";
import { RejectedWrite, RejectedWrites } from "./rejected.js";
import { Results, WaitForSync } from "./results.js";
import { ConnectionState, ProgressDirection, ProgressMode, SessionState, SyncSession } from "./session.js";
import { MutableSubscriptionSet, Subscription, SubscriptionSet, SubscriptionSetState } from "./subscriptions.js";

/** The types of values that JavaScript does not have. */
const BSON = Object.freeze({ ObjectId, UUID, Decimal128 });

/** The version of the library. */
const version = raw.flx_version();

const members = {
  ApiKeyAuth, App, BSON, ClientResetMode, Collection: RealmCollection, CompensatingWriteError, ConnectionState, Credentials, Dictionary,
  EmailPasswordAuth, FlexSyncError, List, MutableSubscriptionSet, Object: RealmObject, OpenRealmBehaviorType, OpenRealmTimeOutBehavior,
  OrderedCollection, ProgressDirection, ProgressMode, RejectedWrite, RejectedWrites, Results, SessionState, Set: RealmSet, Subscription,
  SubscriptionSet, SubscriptionSetState, SyncError, SyncSession, UpdateMode, User, UserState, WaitForSync, version,
};
for (const [name, value] of Object.entries(members)) Object.defineProperty(Realm, name, { value, enumerable: true });

export {
  Realm as default, Realm, RealmObject, RealmSet, RealmCollection, ApiKeyAuth, App, BSON, ClientResetMode, CompensatingWriteError,
  ConnectionState, Credentials, Decimal128, Dictionary, EmailPasswordAuth, FlexSyncError, List, MutableSubscriptionSet, ObjectId,
  OpenRealmBehaviorType, OpenRealmTimeOutBehavior, OrderedCollection, ProgressDirection, ProgressMode, RejectedWrite, RejectedWrites,
  Results, SessionState, Subscription, SubscriptionSet, SubscriptionSetState, SyncError, SyncSession, UpdateMode, User, UserState, UUID,
  WaitForSync, version,
};
