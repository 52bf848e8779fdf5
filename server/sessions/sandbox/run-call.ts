// Runs a call of a built-in tool in the sandbox of its session.
import type { World } from "../../../kernel/context.ts";
import { failed, runTool, SandboxError, type ToolResult } from "../../sandboxes/module.ts";
import type { Call } from "../conversation/state.ts";
import { sandboxesPart, WorkspaceElsewhere, type SandboxSession } from "./sandboxes.ts";

/** Never rejects: what keeps a call from its result is its result. */
export async function runCall(
  world: World,
  session: SandboxSession,
  { name, input }: Pick<Call, "name" | "input">,
  signal: AbortSignal,
): Promise<ToolResult> {
  let hasBegun = false;
  const leaves = Promise.withResolvers<ToolResult>();
  // One that waits for its turn is left alone; one that runs ends by itself.
  const leave = () => hasBegun || leaves.resolve(failed(notBegunWords));
  signal.addEventListener("abort", leave, { once: true });
  try {
    const running = sandboxesPart.of(world).run(session, signal, async (sandbox, whileHeld) => {
      hasBegun = true;
      const result = await runTool(sandbox, { name, input }, whileHeld);
      return whileHeld.aborted && !signal.aborted ? failed(lostWords) : result;
    });
    return await Promise.race([running, leaves.promise]);
  } catch (error) {
    if (signal.aborted) return failed(hasBegun ? interruptedWords : notBegunWords);
    if (error instanceof SandboxError || error instanceof WorkspaceElsewhere)
      return failed(error.message);
    world.logger.error({ error, session: session.id, tool: name }, "a tool could not be run");
    return failed("The call could not be run: this server failed. Its log says more.");
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

const lostWords =
  "The sandbox was lost while this call ran: whether it had its effect is not known. Files in /workspace are kept.";
const interruptedWords = "Interrupted while it ran: whether it had its effect is not known.";
const notBegunWords = "Interrupted before it began: it was not run.";
