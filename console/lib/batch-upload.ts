// Sends the body of a batch through the client, and tells how much of it is gone: fetch does not say that.
import { createClient } from "../../contract/client.ts";
import type { Batch } from "./api.ts";
import { inWorkspace } from "./workspace.ts";

interface Sending {
  body: Blob;
  workspace: string | undefined;
  signal: AbortSignal;
  onBytes: (bytes: number) => void;
}

export async function sendBatch({ body, workspace, signal, onBytes }: Sending): Promise<Batch> {
  const { messages } = createClient({ baseUrl: "", fetch: fetchTelling(onBytes) });
  return messages.batches.create({ body, headers: inWorkspace(workspace), signal });
}

/** As fetch does, for what the client asks of it. */
function fetchTelling(onBytes: (bytes: number) => void): typeof fetch {
  return (url, { method = "GET", headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url as string);
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener("progress", ({ loaded }) => onBytes(loaded));
      request.addEventListener("load", () => resolve(responseOf(request)));
      request.addEventListener("error", () => reject(new TypeError("no answer")));
      request.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
      signal?.addEventListener("abort", () => request.abort(), { once: true });
      request.send(body as XMLHttpRequestBodyInit);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const { status, statusText, responseText } = request;
  const headers = request
    .getAllResponseHeaders()
    .trim()
    .split("\r\n")
    .map((line): [string, string] => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
  return new Response(responseText, { status, statusText, headers });
}
