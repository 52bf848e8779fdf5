// The stream of `GET` on which a server with sessions says and asks what belongs to no request of its client.
import type { World } from "../../../kernel/context.ts";
import { streamOutside } from "../../../kernel/http/outside/stream.ts";
import { limits } from "../limits.ts";

interface Address {
  authorization: string | undefined;
  refusalOf: (url: URL) => string | undefined;
}

interface StreamAsk {
  url: URL;
  headers: Headers;
  signal: AbortSignal | undefined;
}

/**
 * Rule MCP51, for one connection: the client asks for the stream when its session has begun, and again where it ends.
 * What becomes of it says nothing of what is asked beside it: where there is none, it is told so, and asks no more.
 */
export function makeSessionStream(
  world: World,
  { refusalOf, authorization }: Address,
  listens: boolean,
): (ask: StreamAsk) => Promise<Response> {
  let left: number = listens ? limits.listensMax : 0;
  return async ({ url, headers, signal }) => {
    if (left === 0 || refusalOf(url) !== undefined) return noStream();
    left -= 1;
    if (authorization !== undefined) headers.set("authorization", authorization);
    try {
      const response = await streamOutside(
        world,
        url,
        { method: "GET", headers, signal },
        { bytesMax: limits.oneStreamBytesMax, timeoutMs: limits.oneStreamMs },
      );
      const type = response.headers.get("content-type") ?? "";
      const isStream = response.ok && type.includes("text/event-stream");
      if (isStream && response.body !== null)
        return new Response(response.body.pipeThrough(withoutIds()), response);
      await response.body?.cancel();
    } catch {
      // That a server cannot be reached is told by what is asked of it.
    }
    return noStream();
  };
}

const noStream = () => new Response(null, { status: 405 });

/**
 * Events as they came, without their ids, whichever way the pieces are cut: with ids, the client would ask for the
 * stream as it asks for the rest of an answer.
 */
function withoutIds(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return new TransformStream({
    transform: (piece, controller) => {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      const kept = lines.filter((line) => !line.startsWith("id:"));
      if (kept.length > 0) controller.enqueue(encoder.encode(`${kept.join("\n")}\n`));
    },
  });
}
