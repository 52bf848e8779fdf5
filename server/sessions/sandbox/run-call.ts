// Runs a call of a built-in tool in the sandbox of its session.
import type { World } from "../../../kernel/context.ts";
import { keepInStep } from "../../mounts/module.ts";
import { failed, runTool, SandboxError, type ToolResult } from "../../sandboxes/module.ts";
import type { Call } from "../conversation/state.ts";
import { PackagesFault } from "../packages/build.ts";
import { isDatabaseLost } from "../model/failures.ts";
import { prepareMounts, syncMounts, type MountedSession, type Mounts } from "./mounts/mounts.ts";
import type { RepositoryFaultTold } from "./repositories/repositories.ts";
import { sandboxesPart, type Inside } from "./sandboxes.ts";
import { untilDatabaseIsThere, WorkspaceElsewhere } from "./workspaces.ts";

/** With the repositories that could not be cloned for it; or why the packages of its environment are missing. */
export type CallResult =
  | (ToolResult & { faults?: readonly RepositoryFaultTold[] })
  | { missing: string };

/**
 * Never rejects: what keeps a call from its result is its result, but for packages of its environment that could not be
 * installed, of which more than one call is to hear.
 */
export async function runCall(
  world: World,
  session: MountedSession,
  { name, input }: Pick<Call, "name" | "input">,
  signal: AbortSignal,
): Promise<CallResult> {
  let hasBegun = false;
  const leaves = Promise.withResolvers<CallResult>();
  // One that waits for its turn is left alone; one that runs ends by itself.
  const leave = () => hasBegun || leaves.resolve(failed(notBegunWords));
  signal.addEventListener("abort", leave, { once: true });
  try {
    const run = async ({ sandbox, mounts }: Inside, whileHeld: AbortSignal) => {
      await untilDatabaseIsThere(world, whileHeld, () => prepareMounts(mounts, whileHeld));
      hasBegun = true;
      const stopSyncs = keepInStep(mounts.stores, {
        signal: whileHeld,
        onFault: (error) => logNotTaken(world, mounts, error),
      });
      const result = await runTool(sandbox, { name, input }, whileHeld).finally(stopSyncs);
      if (signal.aborted) {
        // Who interrupts does not wait for this.
        leaves.resolve(result);
        await takeIn(world, mounts);
      }
      if (whileHeld.aborted) return signal.aborted ? result : failed(lostWords);
      return withNotes(result, await takeIn(world, mounts));
    };
    const running = sandboxesPart.of(world).run(session, signal, run);
    return await Promise.race([running, leaves.promise]);
  } catch (error) {
    if (signal.aborted) return failed(hasBegun ? interruptedWords : notBegunWords);
    if (error instanceof PackagesFault) return { missing: error.message };
    if (error instanceof SandboxError || error instanceof WorkspaceElsewhere)
      return failed(error.message);
    world.logger.error({ error, session: session.id, tool: name }, "a tool could not be run");
    return failed("The call could not be run: this server failed. Its log says more.");
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** What the call has written is kept; where that fails, the next call tries it again. */
async function takeIn(world: World, mounts: Mounts): ReturnType<typeof syncMounts> {
  try {
    return await syncMounts(mounts);
  } catch (error) {
    logNotTaken(world, mounts, error);
    return { notes: [notKeptWords], faults: [] };
  }
}

function logNotTaken({ logger }: World, { session }: Mounts, error: unknown): void {
  const level = isDatabaseLost(error) ? "warn" : "error";
  logger[level]({ error, session: session.id }, "files of a sandbox were not taken in");
}

const withNotes = (
  { content, isError }: ToolResult,
  { notes, faults }: Awaited<ReturnType<typeof syncMounts>>,
): CallResult => ({
  faults,
  content: [...content, ...notes.map((note) => ({ type: "text" as const, text: `[${note}]` }))],
  isError,
});

const notKeptWords =
  "What was written to memory and to /mnt/session/outputs could not be kept yet; it is tried again with the next call.";
const lostWords =
  "The sandbox was lost while this call ran: whether it had its effect is not known. Files in /workspace are kept.";
const interruptedWords = "Interrupted while it ran: whether it had its effect is not known.";
const notBegunWords = "Interrupted before it began: it was not run.";
