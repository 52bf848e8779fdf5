// The changes of passkeys and single sign-on that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { Change } from "./audit-house.ts";
import { passkeysOf } from "./passkeys-house.ts";

/** The house is there when they are made ready. */
export function signOnChanges(houseOf: () => House): Record<string, Change> {
  const state = (tenant: Tenant) => passkeysOf(houseOf()).list(tenant);
  return {
    "console.passkey_sign_in": {
      action: "user.signed_in",
      prepare: async (tenant) => {
        const { credential } = await passkeysOf(houseOf()).passkey(tenant);
        return () => passkeysOf(houseOf()).signIn(credential);
      },
      state,
    },
    "console.passkeys.create": {
      action: "passkey.registered",
      prepare: async ({ cookie }) => {
        const { post, authenticator } = passkeysOf(houseOf());
        const { body } = await post("passkey_options", undefined, cookie);
        const { answer } = authenticator.register(body.options);
        return () => post("passkeys", { name: "Laptop", credential: answer }, cookie);
      },
      state,
    },
    "console.passkeys.update": {
      action: "passkey.renamed",
      prepare: async (tenant) => {
        const { passkey, post } = passkeysOf(houseOf());
        const { id } = await passkey(tenant);
        return () => post(`passkeys/${id}`, { name: "Renamed" }, tenant.cookie);
      },
      state,
    },
    "console.passkeys.delete": {
      action: "passkey.removed",
      prepare: async (tenant) => {
        const { id } = await passkeysOf(houseOf()).passkey(tenant);
        const { cookie } = tenant;
        return () => houseOf().ask("DELETE", `/console/api/passkeys/${id}`, { cookie });
      },
      state,
    },
    "console.second_step": {
      action: "user.second_step_required",
      prepare: async (tenant) => {
        const { passkey, post } = passkeysOf(houseOf());
        await passkey(tenant);
        return () => post("second_step", { required: true }, tenant.cookie);
      },
      state,
    },
    "console.prove": {
      action: "user.proved",
      prepare: async ({ cookie, owner_password }) => {
        const { post } = passkeysOf(houseOf());
        return () => post("proof", { current_password: owner_password }, cookie);
      },
      state: async ({ organization_id }) =>
        await houseOf().world.db.query({
          text: "select id, proved_at from sign_ins where organization_id = $1 order by id",
          values: [organization_id],
        }),
    },
  };
}

/** They hand out questions. */
export const askingOfSignOn = [
  "console.passkey_sign_in_options",
  "console.passkey_options",
  "console.proof_options",
];
