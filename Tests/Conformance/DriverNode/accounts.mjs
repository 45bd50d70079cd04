// SPDX-License-Identifier: Apache-2.0
/** The steps about users: logging in in every way, linking, switching, API keys. */
import { Credentials, FlexSyncError, UserState } from "flexsync";
import { ScenarioError } from "./values.mjs";

/** What the scenario calls users, on all devices, by their ids; and the API keys that were made. */
const names = new Map();
const keys = new Map();

const nameOf = (user) => names.get(user.id) ?? "somebody";

function userOf(app, step) {
  const found = Object.values(app.allUsers).find((one) => nameOf(one) === step.user);
  if (!found) throw new ScenarioError(`the device does not know the user '${step.user}'`);
  return found;
}

function credentialsOf(step) {
  switch (step.with) {
    case "anonymous": return Credentials.anonymous();
    case "token": return Credentials.jwt(step.secret);
    case "key": return Credentials.apiKey(keys.get(step.secret).key);
    default: return Credentials.emailPassword({ email: `${step.email ?? step.user}@example.com`, password: step.secret ?? "password" });
  }
}

function stateOf(user) {
  return { [UserState.LoggedIn]: "logged in", [UserState.LoggedOut]: "logged out" }[user.state] ?? "removed";
}

async function end(app, step) {
  const user = userOf(app, step);
  await { logout: () => user.logOut(), remove: () => app.removeUser(user), delete: () => app.deleteUser(user) }[step.do]();
  return `${nameOf(user)} is ${stateOf(user)}`;
}

export const STEPS = {
  logout: end, remove: end, delete: end,

  async register(app, step) {
    await app.emailPasswordAuth.registerUser({ email: `${step.user}@example.com`, password: "password" });
    return `registered ${step.user}`;
  },

  async login(app, step) {
    const user = await app.logIn(credentialsOf(step));
    if (!names.has(user.id)) names.set(user.id, step.user);
    return `${nameOf(user)} logged in with ${user.providerType}`;
  },

  async link(app, step) {
    const user = userOf(app, step);
    await user.linkCredentials(credentialsOf(step));
    return `${nameOf(user)} has ${user.identities.map((one) => one.providerType).join(", ")}`;
  },

  switch(app, step) {
    const user = userOf(app, step);
    app.switchUser(user);
    return `${nameOf(user)} is the current user`;
  },

  users(app) {
    const current = app.currentUser;
    const lines = Object.values(app.allUsers).map((one) => `${nameOf(one)} ${stateOf(one)}${one === current ? " (current)" : ""}`);
    return `users: ${lines.sort().join(", ") || "none"}`;
  },

  async key(app, { user: _, action, name, ...step }) {
    const user = userOf(app, { user: _, ...step });
    if (action === "create") keys.set(name, await user.apiKeys.create(name));
    else await user.apiKeys[action](keys.get(name)._id);
    return `key ${name} ${action}d`;
  },

  async keys(app, step) {
    const found = await userOf(app, step).apiKeys.fetchAll();
    return `keys: ${found.map((one) => `${one.name} ${one.disabled ? "disabled" : "enabled"}`).join(", ") || "none"}`;
  },
};

/** Plays a step about users, and returns what the transcript says. */
export async function play(app, step) {
  try {
    return await STEPS[step.do](app, step);
  } catch (error) {
    if (!(error instanceof FlexSyncError)) throw error;
    return `failed: ${error.serverCode || error.code}`;
  }
}
