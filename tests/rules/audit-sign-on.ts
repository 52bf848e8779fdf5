// The changes of passkeys and single sign-on that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { putStranger } from "../../server/single_sign_on/provider_sign_in/queries.ts";
import { addMember } from "./members-house.ts";
import { passkeysOf } from "./passkeys-house.ts";

/** The house is there when they are made ready. */
export function signOnChanges(houseOf: () => House): Record<string, AuditedChange> {
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
    ...singleSignOnChanges(houseOf),
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

const provider = {
  name: "Provider",
  issuer: "https://login.example",
  client_id: "plinth",
  client_secret: "a secret of the tests",
};

function singleSignOnChanges(houseOf: () => House): Record<string, AuditedChange> {
  const own = "/console/api/single_sign_on";
  const post = ({ cookie }: Tenant, path: string, body?: unknown) =>
    houseOf().ask("POST", path, { cookie, ...(body !== undefined && { body }) });
  const drop = ({ cookie }: Tenant, path: string) => houseOf().ask("DELETE", path, { cookie });
  const state = async ({ cookie }: Tenant) => {
    const read = async (path: string) => (await houseOf().ask("GET", path, { cookie })).body;
    return [
      await read(own),
      await read(`${own}/strangers`),
      await read("/console/api/sign_in_methods"),
    ];
  };
  const owner = (tenant: Tenant) => addMember(houseOf(), tenant, { role: "owner" });
  const waiting = async ({ organization_id }: Tenant) => {
    const { world } = houseOf();
    const id = world.ids.next("stranger_");
    const said = { issuer: provider.issuer, subject: id, email: null, name: null };
    const seen = { reason: "email_missing", seen_at: world.clock.now() };
    await world.db.tx((tx) => putStranger(tx, organization_id, { id, ...said, ...seen }));
    return id;
  };
  const links = `${own}/links`;
  return {
    "console.single_sign_on.set": {
      action: "single_sign_on.set",
      prepare: async (tenant) => () => post(tenant, own, provider),
      state,
    },
    "console.single_sign_on.switch": {
      action: "single_sign_on.switched",
      prepare: async (tenant) => {
        await post(tenant, own, provider);
        return () => post(tenant, `${own}/switch`, { enabled: false });
      },
      state,
    },
    "console.single_sign_on.delete": {
      action: "single_sign_on.removed",
      prepare: async (tenant) => {
        await post(tenant, own, provider);
        return () => drop(tenant, own);
      },
      state,
    },
    "console.single_sign_on.link": {
      action: "user.linked",
      prepare: async (tenant) => {
        const body = { stranger_id: await waiting(tenant), email: (await owner(tenant)).email };
        return () => post(tenant, links, body);
      },
      state,
    },
    "console.single_sign_on.unlink": {
      action: "user.unlinked",
      prepare: async (tenant) => {
        const { id, email } = await owner(tenant);
        await post(tenant, links, { stranger_id: await waiting(tenant), email });
        return () => drop(tenant, `${links}/${id}`);
      },
      state,
    },
    "console.break_glass.set": {
      action: "user.break_glass_given",
      prepare: async (tenant) => {
        const { id } = await owner(tenant);
        return () => post(tenant, `/console/api/break_glass/${id}`, { break_glass: true });
      },
      state,
    },
    "console.setup_links.create": {
      action: "user.setup_link_made",
      prepare: async (tenant) => {
        const { id } = await owner(tenant);
        return () => post(tenant, `/console/api/setup_links/${id}`);
      },
      state,
    },
  };
}

/** They hand out questions, or a way to the provider. */
export const askingOfSignOn = [
  "console.passkey_sign_in_options",
  "console.passkey_options",
  "console.proof_options",
  "console.single_sign_on.find",
  "console.single_sign_on.test",
];
