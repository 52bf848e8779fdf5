// Shows people the files that a session has in its sandbox. They are read inside, by the agent's own rights.
import { posix } from "node:path";
import { conflict, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { bytes, type Reply } from "../../../kernel/http/output/reply.ts";
import { limitsAsSet, SandboxError, sandboxSettingsOf } from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import { loadSessions } from "../model/queries.ts";
import { expectSession } from "../named-session.ts";
import * as queries from "./queries.ts";
import { sandboxesPart } from "./sandboxes.ts";
import { WorkspaceElsewhere } from "./workspaces.ts";
import type { WorkspaceDirectory, WorkspaceEntry } from "./schema.ts";

const [notThere, wrongKind, tooLarge] = [66, 67, 68];

/** Nothing of it is a command: a time-out of the sandbox itself would end what the agent has running there. */
const listScript = `
[ -e "$1" ] || exit ${notThere}
[ -d "$1" ] || exit ${wrongKind}
exec timeout 10 find -H "$1" -mindepth 1 -maxdepth 1 -printf '%y%Y %s %T@ %f\\0'`;

/** As base64: not every shell hands on what is no text. */
const readScript = `
[ -e "$1" ] || exit ${notThere}
[ -f "$1" ] || exit ${wrongKind}
[ "$(stat -Lc %s -- "$1")" -le "$2" ] || exit ${tooLarge}
exec timeout 30 base64 -w 0 "$1"`;

export async function listDirectory(
  context: Context,
  sessionId: string,
  given: string | undefined,
): Promise<WorkspaceDirectory> {
  const path = posix.resolve(given ?? "/workspace");
  await expectCloudSession(context, sessionId);
  // To look makes no workspace.
  if (!(await queries.hasWorkspace(context.db, sessionId)))
    return { path, entries: [], is_truncated: false };
  const { output, isTruncated } = await runInside(context, sessionId, {
    script: listScript,
    words: [path],
    bytesMax: limits.directoryBytesMax,
  });
  const lines = output.toString("utf8").split("\0").slice(0, -1);
  const entries = lines.map(entryOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const shown = entries.slice(0, limits.directoryEntriesMax);
  return { path, entries: shown, is_truncated: isTruncated || shown.length < entries.length };
}

const types: Readonly<Record<string, WorkspaceEntry["type"]>> = {
  f: "file",
  d: "directory",
  l: "link",
};
const targets: Readonly<Record<string, NonNullable<WorkspaceEntry["target"]>>> = {
  f: "file",
  d: "directory",
  N: "missing",
  L: "missing",
};
/** The last second of the year 9999: an agent may set any time, and the wire has four digits for a year. */
const lastSecond = 253_402_300_799;

function entryOf(line: string): WorkspaceEntry {
  const [[kind = "", target = ""] = "", size = "", seconds = "", ...name] = line.split(" ");
  const type = types[kind] ?? "other";
  const modified = Math.min(Math.max(Number(seconds), 0), lastSecond);
  return {
    name: name.join(" "),
    type,
    ...(type === "link" && { target: targets[target] ?? "other" }),
    size_bytes: Number(size),
    modified_at: new Date(modified * 1000).toISOString(),
  };
}

export async function readWorkspaceFile(
  context: Context,
  sessionId: string,
  given: string,
): Promise<Reply> {
  const path = posix.resolve(given);
  await expectCloudSession(context, sessionId);
  if (!(await queries.hasWorkspace(context.db, sessionId))) throw notFound("file", path);
  const { output } = await runInside(context, sessionId, {
    script: readScript,
    words: [path, `${limits.shownFileBytesMax}`],
    bytesMax: 2 * limits.shownFileBytesMax,
  });
  const content = Buffer.from(output.toString("latin1"), "base64");
  // An agent wrote it: no browser may open it as a page of this server.
  const name = posix.basename(path).replaceAll(/[^\w.-]/g, "_");
  return bytes(content.subarray(0, limits.shownFileBytesMax), "application/octet-stream", {
    "content-disposition": `attachment; filename="${name}"; filename*=UTF-8''${encodeURIComponent(posix.basename(path))}`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "private, no-store",
  });
}

async function expectCloudSession(context: Context, sessionId: string): Promise<void> {
  const { environmentType } = await expectSession(context, sessionId);
  if (environmentType === "cloud") return;
  throw invalid(
    `The session ${sessionId} runs in a self-hosted environment: its files are on the machines of its workers.`,
  );
}

interface Reading {
  script: string;
  words: readonly string[];
  bytesMax: number;
}

async function runInside(
  context: Context,
  sessionId: string,
  { script, words, bytesMax }: Reading,
): Promise<{ output: Buffer; isTruncated: boolean }> {
  const [session] = await loadSessions(context.db, [sessionId]);
  if (session === undefined) throw notFound("session", sessionId);
  const patience = new AbortController();
  const begun = new AbortController();
  const isLate = context.clock.sleep(limits.shownFilesWaitMs, begun.signal);
  const gaveUp = isLate.then((late) => {
    // What has begun is not aborted: that would end all that runs in the sandbox.
    if (!late) return new Promise<never>(() => {});
    patience.abort(busy(sessionId));
    throw busy(sessionId);
  });
  try {
    const path = words[0] ?? "";
    const running = sandboxesPart.of(context).run(session, patience.signal, async ({ sandbox }) => {
      begun.abort();
      const command = ["/bin/sh", "-c", script, "sh", ...words];
      return sandbox.exec({ command, timeoutMs: limits.shownFilesMs, bytesMax, isInternal: true });
    });
    const result = await Promise.race([running, gaveUp]);
    if (result.code === notThere) throw notFound("file", path);
    if (result.code === wrongKind)
      throw invalid(`path: ${JSON.stringify(path)} is of another kind: not what was asked for.`);
    if (result.code === tooLarge)
      throw invalid(
        `path: ${JSON.stringify(path)} has more than ${limits.shownFileBytesMax} bytes; have the agent put it into /mnt/session/outputs.`,
      );
    if (result.code !== 0 && !result.isTruncated)
      throw invalid(`path: ${JSON.stringify(path)} may not be read by the agent.`);
    return result;
  } catch (error) {
    if (error instanceof SandboxError || error instanceof WorkspaceElsewhere)
      throw conflict(error.message, { code: "sandbox_unavailable" });
    throw error;
  } finally {
    begun.abort();
  }
}

const busy = (sessionId: string) =>
  conflict(`A call runs in the sandbox of ${sessionId}: look again when it has ended.`, {
    code: "sandbox_busy",
  });

/** What the machine of this process says of sandboxes. */
export async function sandboxFacts(context: Context) {
  const { provider, ok, reason, mend, guarantees } = await sandboxesPart.of(context).summary();
  return {
    provider,
    can_be_made: ok,
    reason,
    ...(mend !== undefined && { mend }),
    limits: limitsAsSet(sandboxSettingsOf(context).limits),
    guarantees: Object.entries(guarantees).map(([name, guarantee]) => ({
      name: name as keyof typeof guarantees,
      ...guarantee,
    })),
  };
}
