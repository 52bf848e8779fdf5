// Runs a call of a tool of the web in the name of its session.
import type { World } from "../../../kernel/context.ts";
import { failed, type ToolResult } from "../../sandboxes/module.ts";
import { runWebTool, type NetworkPolicy } from "../../web_tools/module.ts";
import type { Call } from "../conversation/state.ts";
import { shownTurns } from "../conversation/turns.ts";
import { findSessionNetwork } from "../network/queries.ts";
import { agentOf } from "../steps/context.ts";
import type { Thread } from "../steps/thread.ts";
import { actorOf, dimensionsOf, webAccounting } from "./caller.ts";
import { isDatabaseLost } from "./failures.ts";
import { sumUpWebUse, type WorkedSession } from "./queries.ts";

interface WebCallOfThread {
  session: WorkedSession;
  thread: Thread;
  call: Call;
}

/** What keeps a call from its result is its result; only an interrupt is thrown. */
export async function runWebCall(
  world: World,
  { session, thread, call: { name, input } }: WebCallOfThread,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    const actor = await actorOf(world, session, signal);
    const { config } = agentOf(thread, session);
    const turns = shownTurns(thread.state);
    const policy = await policyOf(world, session);
    const accounting = webAccounting(actor, thread.id, dimensionsOf(session), (use) =>
      sumUpWebUse(session.usage, use),
    );
    return await runWebTool(world, { name, input, config, turns, policy, accounting }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (!isDatabaseLost(error))
      world.logger.error({ error, session: session.id, tool: name }, "a tool could not be run");
    return failed(
      "The call could not be run, or what it cost could not be kept: this server failed. Its log says more.",
    );
  }
}

/** The network of a session is its environment's. One of workers is theirs, and says nothing of this server. */
async function policyOf(
  { db }: World,
  { id, environmentType }: WorkedSession,
): Promise<NetworkPolicy> {
  if (environmentType === "self_hosted") return { type: "unrestricted" };
  const config = (await findSessionNetwork(db, id))?.config;
  return config?.type === "cloud" ? config.networking : nothing;
}

const nothing: NetworkPolicy = {
  type: "limited",
  allowed_hosts: [],
  allow_mcp_servers: false,
  allow_package_managers: false,
};
