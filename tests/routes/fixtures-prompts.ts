// How to make what the routes of prompts name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const request = {
  model: "sim-small",
  max_tokens: 8,
  messages: [{ role: "user", content: "Good morning" }],
};
const path = "/console/api/prompts";
/** Names are taken once in a workspace. */
const nameIn = ({ world }: Tenant) => world.ids.next("greeting ");
const promptIn = async (tenant: Tenant) => {
  const made = await tenant.console("POST", path, { name: nameIn(tenant), request });
  return { prompt_id: (made as { prompt_id: string }).prompt_id };
};

export const promptFixtures: Readonly<Record<string, Fixture>> = {
  "console.prompts.create": { body: (tenant) => ({ name: nameIn(tenant), request }) },
  "console.prompts.list": {
    items: async (tenant) => {
      await promptIn(tenant);
      await promptIn(tenant);
    },
  },
  "console.prompts.rename": { params: promptIn, body: (tenant) => ({ name: nameIn(tenant) }) },
  "console.prompts.delete": { params: promptIn },
  "console.prompts.versions.create": { params: promptIn, body: () => ({ request }) },
  "console.prompts.versions.list": {
    params: async (tenant) => {
      const made = await promptIn(tenant);
      await tenant.console("POST", `${path}/${made.prompt_id}/versions`, { request });
      return made;
    },
    items: async () => {},
  },
  "console.prompts.versions.retrieve": {
    // Numbers are of a prompt: that of another tenant's has to be none of this one's.
    params: async (tenant) => {
      const made = await promptIn(tenant);
      if (tenant.name === "platform") return { ...made, version: "1" };
      await tenant.console("POST", `${path}/${made.prompt_id}/versions`, { request });
      return { ...made, version: "2" };
    },
  },
};
