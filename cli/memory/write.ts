// Writes one text to one path, and never over a change that the caller has not seen.
import { ApiError, type Client } from "../../contract/client.ts";
import type { Memory } from "../../contract/types.ts";
import { CliError } from "../terminal.ts";
import { findAt } from "./find.ts";
import { nextCommand, formatAddress, type MemoryAddress } from "./memory-address.ts";
import type { MemoryText } from "./text.ts";

export interface TextWrite extends MemoryText {
  storeId: string;
  path: string;
  /** The memory at the path, as last read. */
  current: Memory | undefined;
  /** The hash that it must have; that of `head` otherwise. */
  expect?: string;
  signal?: AbortSignal;
}

export type WriteOutcome = "created" | "updated" | "unchanged";

export interface WriteResult {
  outcome: WriteOutcome;
  memory: Memory;
}

export async function writeText(client: Client, wanted: TextWrite): Promise<WriteResult> {
  const { storeId, path, text: content, sha256, current, expect, signal } = wanted;
  const { memories } = client.memory_stores;
  const params = { memory_store_id: storeId };
  const options = signal === undefined ? {} : { signal };
  if (current === undefined) {
    const memory = await memories.create({ params, body: { path, content }, ...options });
    return { outcome: "created", memory };
  }
  if (current.content_sha256 === sha256) return { outcome: "unchanged", memory: current };
  const memory = await memories.update({
    params: { ...params, memory_id: current.id },
    body: {
      content,
      precondition: { type: "content_sha256", content_sha256: expect ?? current.content_sha256 },
    },
    ...options,
  });
  const isSame = memory.memory_version_id === current.memory_version_id;
  return { outcome: isSame ? "unchanged" : "updated", memory };
}

/** Another writer was first: the text differs, the memory is gone, or one exists where none did. */
export async function isConflict(
  error: unknown,
  client: Client,
  { storeId, path }: TextWrite,
): Promise<boolean> {
  if (!(error instanceof ApiError)) return false;
  if (error.type === "memory_path_conflict_error")
    return (await findAt(client, storeId, path))?.type === "memory";
  return error.type === "memory_precondition_failed_error" || error.status === 404;
}

/** The same, with a sentence about another writer's change. */
export async function writeUnlessChanged(
  client: Client,
  wanted: TextWrite,
  address: MemoryAddress,
  flags: { url?: string },
): Promise<WriteResult> {
  try {
    return await writeText(client, wanted);
  } catch (error) {
    if (!(await isConflict(error, client, wanted))) throw error;
    const see = `See what happened: ${nextCommand(["log", formatAddress(address)], flags)}`;
    throw new CliError(
      wanted.expect === undefined
        ? `${formatAddress(address)} changed while it was written: it is left as it is now. ${see}`
        : `${formatAddress(address)} does not have the hash that --expect names: it is left as it is. ${see}`,
    );
  }
}

/** For programs: the same shape for one text and for a folder of them. */
export function summary(written: readonly WriteResult[]) {
  const of = (outcome: WriteOutcome) => written.filter((one) => one.outcome === outcome).length;
  return {
    created: of("created"),
    updated: of("updated"),
    unchanged: of("unchanged"),
    data: written,
  };
}
