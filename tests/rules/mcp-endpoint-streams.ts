// Streams of notices of `/mcp` for tests: what has been said on one so far.
import assert from "node:assert/strict";
import { newerMeta, postMcp, type Fields, type Place } from "./mcp-endpoint-client.ts";
import { until } from "./support.ts";

export interface Stream {
  status: number;
  messages: Fields[];
  /** Waits for a notice that was not taken yet; answers after how many milliseconds it came. */
  next(method: string, uri?: string): Promise<number>;
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  close(): void;
}

const nameOf = ({ method, params }: Fields) => [method, params?.uri].filter(Boolean).join(" ");

export function readStream(response: Response, abort: AbortController): Stream {
  const messages: Fields[] = [];
  const taken = new Set<Fields>();
  const read = async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) messages.push(JSON.parse(data) as Fields);
      }
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error;
  });
  return {
    status: response.status,
    messages,
    ended,
    close: () => abort.abort(),
    next: async (method, uri) => {
      const since = performance.now();
      const name = [`notifications/${method}`, uri].filter(Boolean).join(" ");
      const found = await until(
        async () => messages.find((each) => !taken.has(each) && nameOf(each) === name),
        name,
      );
      taken.add(found);
      return performance.now() - since;
    },
  };
}

export const listenBody = (notifications: object) => ({
  jsonrpc: "2.0",
  id: "listening",
  method: "subscriptions/listen",
  params: { notifications, _meta: newerMeta() },
});

export function askToListen(
  place: Place,
  notifications: object,
  signal: AbortSignal,
): Promise<Response> {
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "subscriptions/listen",
  };
  return postMcp(place, listenBody(notifications), headers, { signal });
}

/** What is acknowledged is the first message. */
export async function listenAt(place: Place, notifications: object): Promise<Stream> {
  const abort = new AbortController();
  const stream = readStream(await askToListen(place, notifications, abort.signal), abort);
  assert.equal(stream.status, 200);
  await stream.next("subscriptions/acknowledged");
  return stream;
}

export const acknowledged = ({ messages }: Stream): Fields =>
  messages[0]?.["params"]["notifications"] as Fields;
