// What stands between a worker and its server, and looks at each request before it gets there and when it is answered.
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of the connection. */
export type Fate = "cut" | undefined;
type Look = (what: string) => Fate | Promise<Fate>;

export interface StepProxy extends AsyncDisposable {
  url: string;
  /** Method and path of each request so far, ids left out. */
  seen: string[];
  before: Look;
  after: Look;
  /** A status that is answered in place of what the server says, which is not asked. */
  status(what: string): number | undefined;
  /** Another server, or none: then nobody answers, and what is open breaks. */
  lead(to: string | undefined): void;
}

export async function openStepProxy(server: string): Promise<StepProxy> {
  let target: string | undefined = server;
  const seen: string[] = [];
  const proxy: Omit<StepProxy, typeof Symbol.asyncDispose> = {
    url: "",
    seen,
    before: () => undefined,
    after: () => undefined,
    status: () => undefined,
    lead(to) {
      target = to;
      if (to === undefined) listener.closeAllConnections();
    },
  };
  const listener = createServer((asked, reply) => {
    const cut = () => void asked.socket.destroy();
    const what = wordsOf(asked.method, asked.url);
    seen.push(what);
    const go = async (): Promise<void> => {
      if (target === undefined || (await proxy.before(what)) === "cut") {
        cut();
        return;
      }
      const status = proxy.status(what);
      if (status !== undefined) {
        asked.resume();
        reply.writeHead(status).end();
        return;
      }
      const { method = "GET", headers } = asked;
      const forward = request(`${target}${asked.url}`, { method, headers }, async (answer) => {
        if ((await proxy.after(what)) === "cut") {
          cut();
          return;
        }
        reply.writeHead(answer.statusCode ?? 500, answer.headers);
        reply.flushHeaders();
        answer.on("error", cut).pipe(reply);
      });
      forward.on("error", cut);
      reply.on("close", () => forward.destroy());
      asked.pipe(forward);
    };
    void go().catch(cut);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  proxy.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return Object.assign(proxy, {
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections();
      listener.close();
      await once(listener, "close");
    },
  });
}

/** `POST work ack`, `GET sessions events`. */
const wordsOf = (method = "", url = "") =>
  `${method} ${url
    .replace(/\?.*/, "")
    .replace(/^\/v1\/(environments\/[^/]+\/)?/, "")
    .replace(/\/(work|sesn|skill)_\w+/g, "")
    .replace(/\/versions\/.*/, "/versions")
    .replaceAll("/", " ")}`;
