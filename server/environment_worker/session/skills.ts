// The skills of a session's agent, unpacked to where its model is told that they are.
import { posix } from "node:path";
import type { Client } from "../../../contract/client.ts";
import type { Session } from "../../../contract/types.ts";
import { readZip } from "../../../kernel/archive/zip-reader.ts";
import type { ArchiveEntry } from "../../../kernel/archive/entry.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import { SandboxError, type Sandbox } from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import type { Tell } from "../report.ts";
import { insist, wordsOf } from "../requests.ts";

interface Scope {
  clock: Clock;
  client: Client;
  signal: AbortSignal;
  sessionId: string;
  tell: Tell;
}

type Skill = Session["agent"]["skills"][number];

const place = "/workspace/skills";

/** One that cannot be had is told of and left out. */
export async function installSkills(
  scope: Scope,
  sandbox: Sandbox,
  skills: readonly Skill[],
): Promise<void> {
  for (const skill of skills) {
    try {
      await install(scope, sandbox, skill);
    } catch (error) {
      if (scope.signal.aborted) return;
      const reason = `the skill ${skill.skill_id} was left out: ${wordsOf(error)}`;
      scope.tell({ type: "failed", session: scope.sessionId, reason });
    }
  }
}

async function install(scope: Scope, sandbox: Sandbox, { skill_id, version }: Skill) {
  const { clock, client, signal } = scope;
  const named = await insist(clock, signal, (until) =>
    client.skills.versions.retrieve({ params: { skill_id, version }, signal: until }),
  );
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(named.name)) throw new Error("it has no name of a skill.");
  const zip = await insist(clock, signal, async (until) => {
    const params = { skill_id, version: named.id };
    return await readWhole(await client.skills.versions.download({ params, signal: until }));
  });
  const made = `${place}/.${named.name}.new`;
  await run(scope, sandbox, 'rm -rf -- "$1" && mkdir -p -- "$1"', [made]);
  let bytes = 0;
  for (const entry of readZip(zip, { entriesMax: limits.skillFilesMax })) {
    bytes += entry.bytes;
    if (bytes > limits.folderBytesMax) throw new Error("it is too large.");
    await write(scope, sandbox, posix.join(made, pathIn(entry)), entry);
  }
  const into = `${place}/${named.name}`;
  await run(scope, sandbox, 'rm -rf -- "$2" && mv -T -- "$1" "$2"', [made, into]);
}

async function readWhole({ body }: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    if ((bytes += piece.length) > limits.archiveBytesMax) throw new Error("it is too large.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Below the skill's own folder, and nowhere else. */
function pathIn({ name, kind }: ArchiveEntry): string {
  const [top, ...steps] = name?.split("/") ?? [];
  const isSafe =
    top !== undefined &&
    steps.length > 0 &&
    kind === "file" &&
    steps.every((step) => step !== "" && step !== "." && step !== ".." && !/[\\\0]/.test(step));
  if (!isSafe) throw new Error(`${JSON.stringify(name ?? "a file")} stands in it.`);
  return steps.join("/");
}

/** In pieces: what one call of a sandbox takes has an end. */
async function write(scope: Scope, sandbox: Sandbox, path: string, entry: ArchiveEntry) {
  const bytes = await entry.read();
  const mode = (entry.mode & 0o111) === 0 ? "644" : "755";
  const begin = 'mkdir -p -- "$(dirname -- "$1")" && : >"$1" && chmod -- "$2" "$1"';
  await run(scope, sandbox, begin, [path, mode]);
  for (let at = 0; at < bytes.length; at += limits.pieceBytes)
    await run(scope, sandbox, 'cat >>"$1"', [path], bytes.subarray(at, at + limits.pieceBytes));
}

async function run(
  { signal }: Scope,
  sandbox: Sandbox,
  script: string,
  words: readonly string[],
  stdin?: Uint8Array,
): Promise<void> {
  const { code, output } = await sandbox.exec({
    command: ["sh", "-c", script, "sh", ...words],
    timeoutMs: limits.skillMs,
    bytesMax: limits.faultBytesMax,
    signal,
    ...(stdin !== undefined && { stdin }),
  });
  signal.throwIfAborted();
  if (code !== 0) throw new SandboxError(`it could not be written: ${output.toString("utf8")}`);
}
