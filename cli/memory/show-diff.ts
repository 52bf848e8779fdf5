// `plinth memory diff`: what changed between two versions of a memory, or between it and a file.
import type { Client } from "../../contract/client.ts";
import type { DiffFlags } from "./options.ts";
import { escapeControls } from "../print-answer.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Color, type Terminal } from "../terminal.ts";
import { expectMemory, findStore, memoriesAtOnce, textOf, versionAt } from "./find.ts";
import { formatAddress, type MemoryAddress } from "./memory-address.ts";
import { readText } from "./text.ts";
import { unifiedDiff, type LineKind, type DiffSide } from "./unified-diff.ts";

export async function diff(
  terminal: Terminal,
  address: MemoryAddress,
  versions: readonly string[],
  flags: DiffFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  if (versions.length > 2)
    throw new CliError("A difference is between two versions.", exitCodes.usage);
  if (flags.file !== undefined && versions.length > 1)
    throw new CliError("With --file, name one version or none.", exitCodes.usage);
  const file = flags.file === undefined ? undefined : await sideOfFile(terminal, flags.file);
  const [before, after] = await withServerErrors(client, () =>
    sidesOf(client, { address, versions, file, flags }),
  );
  const lines = unifiedDiff(before, after, flags.context);
  if (flags.json === true)
    terminal.write(
      `${JSON.stringify(
        asObject(
          before,
          after,
          lines.map(({ text }) => text),
        ),
      )}\n`,
    );
  else {
    for (const { kind, text } of lines) terminal.write(shown(terminal, kind, text));
    if (lines.length === 0 && flags.quiet !== true)
      terminal.note(`${terminal.dim(`${before.name} and ${after.name} have the same text.`)}\n`);
  }
  if (flags.exitCode === true && lines.length > 0)
    throw new CliError("They differ.", exitCodes.different);
}

const asObject = (before: DiffSide, after: DiffSide, lines: readonly string[]) => ({
  is_different: lines.length > 0,
  from: before.name,
  to: after.name,
  diff: lines.join(""),
});

interface DiffTask {
  address: MemoryAddress;
  versions: readonly string[];
  file: DiffSide | undefined;
  flags: DiffFlags;
}

/** Without versions: what the last write changed. With one: all since then. */
async function sidesOf(
  client: Client,
  task: DiffTask,
): Promise<[before: DiffSide, after: DiffSide]> {
  const { address, versions, file, flags } = task;
  const { id: storeId } = await findStore(client, address.store, flags);
  const [one, other] = versions;
  const sideOf = async (id: string): Promise<DiffSide> => {
    const version = await versionAt(client, storeId, address, id);
    return { name: nameOf(address, id), text: textOf(version) };
  };
  if (one !== undefined && other !== undefined) return [await sideOf(one), await sideOf(other)];
  if (one !== undefined && file !== undefined) return [await sideOf(one), file];
  const head = await expectMemory(client, storeId, address, flags);
  const now = { name: nameOf(address, head.memory_version_id), text: await textAt(client, head) };
  if (file !== undefined) return [now, file];
  if (one !== undefined) return [await sideOf(one), now];
  return [await before(client, address, head), now];
}

const nameOf = (address: MemoryAddress, versionId: string) =>
  `${formatAddress(address)}\t${versionId}`;

interface Head {
  id: string;
  memory_store_id: string;
  memory_version_id: string;
}

async function textAt(client: Client, { id, memory_store_id }: Head): Promise<string> {
  const params = { memory_store_id, memory_id: id };
  return (await client.memory_stores.memories.retrieve({ params })).content ?? "";
}

/** The version before the head; nothing, where the head is the first. */
async function before(client: Client, address: MemoryAddress, head: Head): Promise<DiffSide> {
  const params = { memory_store_id: head.memory_store_id };
  const query = { memory_id: head.id, limit: memoriesAtOnce };
  const list = client.memory_stores.memory_versions.list;
  let isPast = false;
  for await (const version of client.pages(list, { params, query })) {
    if (isPast && version.redacted_at === null && version.operation !== "deleted") {
      const found = await versionAt(client, head.memory_store_id, address, version.id);
      return { name: nameOf(address, version.id), text: textOf(found) };
    }
    isPast ||= version.id === head.memory_version_id;
  }
  return { name: "/dev/null", text: "" };
}

async function sideOfFile(terminal: Terminal, file: string): Promise<DiffSide> {
  const { text } = await readText(terminal, file);
  return { name: file === "-" ? "standard input" : file, text };
}

const colors: Partial<Record<LineKind, Color>> = {
  head: "bold",
  hunk: "cyan",
  goes: "red",
  comes: "green",
};

/** A pipe gets the bytes; a person sees signs in place of control characters. */
function shown({ isPerson, color }: Terminal, kind: LineKind, text: string): string {
  if (!isPerson.output) return text;
  const name = colors[kind];
  const line = escapeControls(text.slice(0, -1));
  return `${name === undefined ? line : color(name, line)}\n`;
}
