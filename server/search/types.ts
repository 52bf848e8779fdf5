// What is found by ids and names: the types that the nouns give, in the order in which equals are shown.
import type { Searchable } from "../../kernel/http/searchable.ts";
import * as alerts from "../alerts/module.ts";
import * as agents from "../agents/module.ts";
import * as audit from "../audit/module.ts";
import * as batches from "../batches/module.ts";
import * as deployments from "../deployments/module.ts";
import * as environments from "../environments/module.ts";
import * as federation from "../federation/module.ts";
import * as files from "../files/module.ts";
import * as groups from "../groups/module.ts";
import * as keys from "../keys/module.ts";
import * as mcpServers from "../mcp_servers/module.ts";
import * as members from "../members/module.ts";
import * as memory from "../memory/module.ts";
import * as models from "../models/module.ts";
import * as requests from "../requests/module.ts";
import * as sessions from "../sessions/module.ts";
import * as skills from "../skills/module.ts";
import * as vaults from "../vaults/module.ts";
import * as webhooks from "../webhooks/module.ts";
import * as workspaces from "../workspaces/module.ts";

export const types: readonly Searchable[] = [
  ...sessions.searchables,
  ...agents.searchables,
  ...batches.searchables,
  ...deployments.searchables,
  ...models.searchables,
  ...keys.searchables,
  ...members.searchables,
  ...workspaces.searchables,
  ...files.searchables,
  ...memory.searchables,
  ...skills.searchables,
  ...environments.searchables,
  ...vaults.searchables,
  ...mcpServers.searchables,
  ...webhooks.searchables,
  ...groups.searchables,
  ...federation.searchables,
  ...audit.searchables,
  ...requests.searchables,
  ...alerts.searchables,
];
