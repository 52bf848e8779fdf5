// The command-line client: speaks only HTTP, through the generated client.
import type { Command } from "commander";
import { addAgents } from "./agents.ts";
import { addAudit } from "./audit.ts";
import { addBatch } from "./batch.ts";
import { addDeployments } from "./deployments.ts";
import { addEnvironments } from "./environments.ts";
import { addFiles } from "./files.ts";
import { addKeys } from "./keys.ts";
import { addLogin } from "./login.ts";
import { addMcp } from "./mcp.ts";
import { addInvites, addMembers } from "./members.ts";
import { addMemory } from "./memory.ts";
import { addMessage } from "./message.ts";
import { rememberCalls } from "./next-page.ts";
import { addModels } from "./models.ts";
import { addOpen } from "./open.ts";
import { addOrg } from "./org.ts";
import { addSessions } from "./sessions.ts";
import { addSkills } from "./skills.ts";
import type { Terminal } from "./terminal.ts";
import { addUsage } from "./usage.ts";
import { addVaults } from "./vaults.ts";
import { addWebhooks } from "./webhooks.ts";
import { addWorkspaces } from "./workspaces.ts";

export { CliError } from "./terminal.ts";
export { processTerminal } from "./process-terminal.ts";

export function addCommands(plinth: Command, terminal: Terminal): void {
  rememberCalls(plinth);
  addLogin(plinth, terminal);
  addMessage(plinth, terminal);
  addModels(plinth, terminal);
  addBatch(plinth, terminal);
  addFiles(plinth, terminal);
  addMemory(plinth, terminal);
  addAgents(plinth, terminal);
  addEnvironments(plinth, terminal);
  addSessions(plinth, terminal);
  addDeployments(plinth, terminal);
  addVaults(plinth, terminal);
  addMcp(plinth, terminal);
  addSkills(plinth, terminal);
  addWebhooks(plinth, terminal);
  addOrg(plinth, terminal);
  addWorkspaces(plinth, terminal);
  addMembers(plinth, terminal);
  addInvites(plinth, terminal);
  addKeys(plinth, terminal);
  addUsage(plinth, terminal);
  addAudit(plinth, terminal);
  addOpen(plinth, terminal);
}
