// Sessions with the server behind a bridge: one for each caller, begun when first needed, ended when idle.
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createHash } from "node:crypto";
import { systemClock } from "../../kernel/base/clock.ts";
import { limits } from "./limits.ts";

export type Upstream =
  | { kind: "http"; url: string; passAuthorization: boolean }
  | { kind: "command"; command: string; args: string[]; env: Record<string, string> };

interface Session {
  client: Client;
  calls: number;
  isEnded: boolean;
  idle: AbortController | undefined;
}

export class TooManySessions extends Error {}

export type Upstreams = ReturnType<typeof makeUpstreams>;

export function makeUpstreams(
  upstream: Upstream,
  { sessionsMax = limits.sessionsMax as number, version = "0", clock = systemClock } = {},
) {
  const sessions = new Map<string, Promise<Session>>();

  async function begin(
    key: string,
    authorization: string | undefined,
    begun: () => Promise<Session>,
  ): Promise<Session> {
    const client = new Client(
      { name: "plinth-mcp-bridge", version },
      { versionNegotiation: { mode: "legacy" } },
    );
    const session: Session = { client, calls: 0, isEnded: false, idle: undefined };
    // The client has no listeners beside this one.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onclose = () => {
      session.isEnded = true;
      session.idle?.abort();
      // A later session of the same caller stays.
      if (sessions.get(key) === begun()) sessions.delete(key);
    };
    await client.connect(transportTo(upstream, authorization), { timeout: limits.startMs });
    return session;
  }

  async function sessionOf(authorization: string | undefined): Promise<Session> {
    const key = createHash("sha256")
      .update(authorization ?? "")
      .digest("hex");
    const known = sessions.get(key);
    if (known !== undefined) return known;
    if (sessions.size >= sessionsMax && !(await endIdle()))
      throw new TooManySessions(
        `All ${sessionsMax} sessions with the server behind this bridge are in use; try again, or start it with a higher --sessions-max.`,
      );
    const begun: Promise<Session> = begin(key, authorization, () => begun);
    sessions.set(key, begun);
    begun.catch(() => sessions.delete(key));
    return begun;
  }

  /** Makes room: the first session without a call ends. */
  async function endIdle(): Promise<boolean> {
    for (const [key, begun] of sessions) {
      const session = await begun.catch(() => undefined);
      if (session === undefined || session.calls > 0) continue;
      sessions.delete(key);
      await session.client.close();
      return true;
    }
    return false;
  }

  return {
    /** A session is held for as long as `work` runs. */
    async use<Result>(
      authorization: string | undefined,
      work: (session: Session) => Promise<Result>,
    ): Promise<Result> {
      const session = await sessionOf(authorization);
      session.calls += 1;
      session.idle?.abort();
      try {
        return await work(session);
      } finally {
        session.calls -= 1;
        if (session.calls === 0 && !session.isEnded) void endLater(session, clock);
      }
    },
    async close(): Promise<void> {
      const all = await Promise.allSettled(sessions.values());
      for (const each of all) if (each.status === "fulfilled") await each.value.client.close();
    },
    count: () => sessions.size,
  };
}

async function endLater(session: Session, clock: typeof systemClock): Promise<void> {
  const idle = (session.idle = new AbortController());
  if (await clock.sleep(limits.idleMs, idle.signal)) await session.client.close();
}

function transportTo(upstream: Upstream, authorization: string | undefined): Transport {
  if (upstream.kind === "command") {
    const { command, args, env } = upstream;
    return new StdioClientTransport({ command, args, env, stderr: "inherit" });
  }
  const headers =
    upstream.passAuthorization && authorization !== undefined ? { authorization } : {};
  return new StreamableHTTPClientTransport(new URL(upstream.url), { requestInit: { headers } });
}
