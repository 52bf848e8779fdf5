// What the derived tests want to know of the search for objects.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

let made = 0;

/** Found by administration, which sees the workspaces or the members. */
const twoOfOrganization = async ({ console, name }: Tenant) => {
  for (const each of ["one", "two"])
    if (name === "platform")
      await console("POST", "/console/api/workspaces", { name: `quartz ${each}` });
    else
      await console("POST", "/console/api/invites", {
        email: `quartz-${++made}@search.example`,
        role: "user",
      });
};

const twoOfWorkspace = async ({ console }: Tenant) => {
  for (const each of ["one", "two"])
    await console("POST", "/v1/environments", { name: `quartz ${each}` }, beta);
};
const beta = { "vendor-beta": "managed-agents-2026-04-01" };

export const searchFixtures: Readonly<Record<string, Fixture>> = {
  "objects.list": { query: "query=quartz", items: twoOfOrganization },
  "console.objects.list": { query: "query=quartz", items: twoOfOrganization },
  "workspace_objects.list": { query: "query=quartz", items: twoOfWorkspace },
};
