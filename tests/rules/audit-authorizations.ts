// The changes of authorizations that leave an event each.
import type { House } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { codeRequest, codeIn, personOf, programOf } from "./authorizations-house.ts";

/** Beginning and looking are no person's change yet, and a program that registers is of no organization. */
export const askingOfAuthorizations = [
  "oauth.device_authorization",
  "oauth.register",
  "console.device.read",
  "console.authorize.read",
];

/** The house is there when they are made ready. */
export function authorizationChanges(houseOf: () => House): Record<string, AuditedChange> {
  const program = programOf(houseOf);
  const state = async () =>
    houseOf().world.db.query({
      text: `select id, decision, (select count(*) from token_families where revoked_at is null) as alive
             from authorizations order by id`,
      values: [],
    });
  const device =
    (act: "approve" | "deny"): AuditedChange["prepare"] =>
    async (tenant) => {
      const { user_code } = await program.device();
      const person = personOf(houseOf, tenant);
      await person.look(user_code);
      return () => person[act](user_code);
    };
  const code =
    (act: "/approve" | "/deny"): AuditedChange["prepare"] =>
    async (tenant) => {
      const { ask } = codeRequest();
      return () => personOf(houseOf, tenant).authorize(act, ask);
    };
  return {
    "oauth.revoke": {
      action: "program_sign_in.ended",
      prepare: async (tenant) => {
        const { ask, redemption } = codeRequest();
        const granted = await personOf(houseOf, tenant).authorize("/approve", ask);
        const { body } = await program.token(redemption(codeIn(granted)));
        return () => program.revoke(body.refresh_token as string);
      },
      state,
    },
    "console.program_sign_ins.delete": {
      action: "program_sign_in.ended",
      prepare: async (tenant) => {
        const { ask, redemption } = codeRequest();
        const granted = await personOf(houseOf, tenant).authorize("/approve", ask);
        await program.token(redemption(codeIn(granted)));
        const { cookie } = tenant;
        const path = "/console/api/program_sign_ins";
        const { body } = await houseOf().ask("GET", path, { cookie });
        return () => houseOf().ask("DELETE", `${path}/${body.data[0].id}`, { cookie });
      },
      state,
    },
    "console.device.approve": {
      action: "authorization.granted",
      prepare: device("approve"),
      state,
    },
    "console.device.deny": { action: "authorization.denied", prepare: device("deny"), state },
    "console.authorize.approve": {
      action: "authorization.granted",
      prepare: code("/approve"),
      state,
    },
    "console.authorize.deny": { action: "authorization.denied", prepare: code("/deny"), state },
  };
}
