// Waits on this machine for the browser that returns with a code.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Callback extends AsyncDisposable {
  /** The address that the server redirects the browser to. */
  redirectUri: string;
  /** The browser's query, once its state is the one that was sent. */
  answer: Promise<URLSearchParams>;
}

const path = "/callback";

export async function waitForBrowser(state: string): Promise<Callback> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname !== path || url.searchParams.get("state") !== state)
      return say(response, 404, "This is not the sign-in that was begun here.");
    const refused = url.searchParams.get("error");
    say(
      response,
      200,
      refused === null
        ? "You are signed in. Go back to the terminal; this page can be closed."
        : "Nothing was granted. Go back to the terminal; this page can be closed.",
    );
    resolve(url.searchParams);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}${path}`,
    answer: promise,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    connection: "close",
  });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Plinth</title>
<meta name="color-scheme" content="light dark">
<body style="font: 16px system-ui; margin: 4rem auto; max-width: 32rem; padding: 0 1rem">
<p>${sentence}</p></body></html>`);
}
