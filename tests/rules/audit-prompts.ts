// The changes of prompts that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";

const path = "/console/api/prompts";
const request = {
  model: "sim-small",
  max_tokens: 8,
  messages: [{ role: "user", content: "Good morning" }],
};

/** The house is there when they are made ready. */
export function promptChanges(houseOf: () => House): Record<string, AuditedChange> {
  const ask = ({ cookie }: Tenant, method: string, where: string, body?: object) =>
    houseOf().ask(method, path + where, { cookie, ...(body && { body }) });
  let made = 0;
  const make = async (tenant: Tenant): Promise<string> => {
    const { body } = await ask(tenant, "POST", "", { name: `Prompt ${(made += 1)}`, request });
    return body.prompt_id;
  };
  const state = async (tenant: Tenant) => (await ask(tenant, "GET", "")).body;
  const change = (verb: string, method: string, where: string, body?: object): AuditedChange => ({
    action: `prompt.${verb}`,
    prepare: async (tenant) => {
      const id = await make(tenant);
      return () => ask(tenant, method, `/${id}${where}`, body);
    },
    state,
  });
  return {
    "console.prompts.create": {
      action: "prompt.created",
      prepare: async (tenant) => () => ask(tenant, "POST", "", { name: "Fresh", request }),
      state,
    },
    "console.prompts.rename": change("renamed", "POST", "", { name: "Another" }),
    "console.prompts.delete": change("deleted", "DELETE", ""),
    "console.prompts.versions.create": change("version_created", "POST", "/versions", { request }),
  };
}
