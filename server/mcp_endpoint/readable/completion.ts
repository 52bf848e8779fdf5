// What a client proposes while a person fills in a template or the argument of a prompt.
import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequest,
  type CompleteResult,
} from "@modelcontextprotocol/server";
import { isFailure } from "../../../kernel/base/failure.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { expectPrompt } from "./prompts.ts";
import { templates } from "./uris.ts";
import type { Page } from "../tools/tool.ts";

type Completed = (api: Api, begun: string, known: Readonly<Record<string, string>>) => Proposed;
type Proposed = Promise<{ values: string[]; hasMore: boolean }>;

/** Ids of a list, newest first, that begin so. */
const idsOf =
  (operation: string): Completed =>
  async (api, begun) => {
    const query = { limit: limits.completionsMax };
    const { data, next_page } = (await api(operation, { query })) as Page<{ id: string }>;
    const values = data.map(({ id }) => id).filter((id) => id.startsWith(begun));
    return { values, hasMore: next_page !== null };
  };

const paths: Completed = async (api, begun, { memory_store_id }) => {
  if (memory_store_id === undefined) return { values: [], hasMore: false };
  const folder = begun.slice(0, begun.lastIndexOf("/") + 1) || "/";
  const { data, next_page } = (await api("memory_stores.memories.list", {
    params: { memory_store_id },
    query: { path_prefix: folder, limit: limits.completionsMax },
  })) as Page<{ path: string }>;
  const values = data.map(({ path }) => path).filter((path) => path.startsWith(begun));
  return { values, hasMore: next_page !== null };
};

const stores = idsOf("memory_stores.list");
/** `{path}` is how the address is often written down. */
const completions = new Map<string, Readonly<Record<string, Completed>>>([
  [templates.memory, { memory_store_id: stores, path: paths }],
  [templates.memory.replace("{+path}", "{path}"), { memory_store_id: stores, path: paths }],
  [templates.transcript, { session_id: idsOf("sessions.list") }],
  [templates.file, { file_id: idsOf("files.list") }],
]);

const unknown = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** Rule MCE17: what is not there or not allowed gives no proposals; only what this server has can be completed. */
export async function complete(
  api: Api,
  { ref, argument, context }: CompleteRequest["params"],
): Promise<CompleteResult> {
  if (ref.type === "ref/prompt") {
    await expectPrompt(api, ref.name);
    if (argument.name !== "request")
      throw unknown(`argument.name: a prompt has request, and no ${argument.name.slice(0, 100)}.`);
    return answer([], false);
  }
  const ofTemplate = completions.get(ref.uri);
  if (ofTemplate === undefined)
    throw unknown(`ref.uri: is no template of this server. resources/templates/list has them.`);
  const completed = Object.hasOwn(ofTemplate, argument.name)
    ? ofTemplate[argument.name]
    : undefined;
  if (completed === undefined)
    throw unknown(
      `argument.name: the template has ${Object.keys(ofTemplate).join(" and ")}, and no ${argument.name.slice(0, 100)}.`,
    );
  try {
    const { values, hasMore } = await completed(api, argument.value, context?.arguments ?? {});
    return answer(values, hasMore);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return answer([], false);
  }
}

const answer = (values: string[], hasMore: boolean): CompleteResult => ({
  completion: { values: values.slice(0, limits.completionsMax), hasMore },
});
