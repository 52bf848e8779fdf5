// What clients read beside calling tools: resources, prompts, and proposals for their arguments.
import type { Server } from "@modelcontextprotocol/server";
import type { Api } from "../caller.ts";
import { isFailure } from "../../../kernel/base/failure.ts";
import { protocolErrorOf } from "../tasks.ts";
import type { Subscriptions } from "../sessions/notices.ts";
import { complete } from "./completion.ts";
import { limits } from "../limits.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { completeParams, listParams, promptParams, uriParams } from "./params.ts";
import { listResources, noCursor, readResource, resourceTemplates } from "./resources.ts";

/** Tools are the same as long as this process runs, and so no change of them is told. */
export const readableCapabilities = (isTold: boolean) => ({
  resources: isTold ? { subscribe: true, listChanged: true } : {},
  prompts: isTold ? { listChanged: true } : {},
  completions: {},
});

/** What was read is of one workspace, and may be another thing at any time. */
const now = { ttlMs: 0, cacheScope: "private" } as const;

export const readableHints = {
  "resources/templates/list": { ttlMs: limits.listTtlMs, cacheScope: "public" },
  "resources/list": now,
  "resources/read": now,
  "prompts/list": now,
} as const;

export function handleSubscriptions(
  server: Server,
  { subscribe, unsubscribe }: Subscriptions,
): void {
  const done = async (work: Promise<void>) => {
    try {
      await work;
    } catch (error) {
      throw isFailure(error) ? protocolErrorOf(error) : error;
    }
    return {};
  };
  server.setRequestHandler("resources/subscribe", uriParams, ({ uri }) => done(subscribe(uri)));
  server.setRequestHandler("resources/unsubscribe", uriParams, ({ uri }) => done(unsubscribe(uri)));
}

/** What is asked for by its name is noted where it is not allowed. */
export function handleReadable(server: Server, { api, noted }: { api: Api; noted: Api }): void {
  server.setRequestHandler("resources/templates/list", listParams, ({ cursor }) => {
    expectFirst(cursor);
    return { resourceTemplates };
  });
  server.setRequestHandler("resources/list", listParams, ({ cursor }) =>
    listResources(api, cursor),
  );
  server.setRequestHandler("resources/read", uriParams, ({ uri }) => readResource(noted, uri));
  server.setRequestHandler("prompts/list", listParams, ({ cursor }) => listPrompts(api, cursor));
  server.setRequestHandler("prompts/get", promptParams, ({ name, arguments: given }) =>
    getPrompt(noted, name, given),
  );
  server.setRequestHandler("completion/complete", completeParams, (params) =>
    complete(api, params),
  );
}

/** Of a list that is one page. */
export function expectFirst(cursor: string | undefined): void {
  if (cursor !== undefined) throw noCursor();
}
