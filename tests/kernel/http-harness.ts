// A bare server around the dispatcher, for tests of the wire: real clock, ids and secrets, no database.
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import Type from "typebox";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Principal, World } from "../../kernel/context.ts";
import { makeDispatch, type DispatchOptions } from "../../kernel/http/dispatch.ts";
import type { AnsweredRequest } from "../../kernel/http/exchange/exchange.ts";
import { listen, type ListeningServer, type ServerLimits } from "../../kernel/http/wire/listen.ts";
import { closed, leanPathsOf, openRoute, route, type Route } from "../../kernel/http/route.ts";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export interface BareServer extends ListeningServer, AsyncDisposable {
  base: string;
  answered: AnsweredRequest[];
  stop(): Promise<void>;
}

export interface BareServerOptions {
  limits?: Partial<ServerLimits>;
  checkReplies?: boolean;
  proxies?: number;
  elsewhere?: DispatchOptions["elsewhere"];
  /** False: all requests go through node:http. */
  lean?: boolean;
  /** Requests are served an iteration late: by then the body of a short one is there, however the wire was read. */
  isLate?: boolean;
}

/** The parts that no route of these tests reaches are absent, and fail loudly when touched. */
export async function makeWorld(): Promise<World> {
  const ids = makeIds(systemClock, systemRandom);
  const secrets = await openSecrets({ directory: "", masterKey: `t1:${"ab".repeat(32)}` });
  const world = {
    server: { isDraining: false, isDrainOver: false },
    clock: systemClock,
    random: systemRandom,
    ids,
    logger: silentLogger,
    secrets,
    publicUrl: "http://localhost",
  };
  return world as unknown as World;
}

const principal = (overrides: Partial<Principal>): Principal => ({
  name: "Test key",
  kind: "api_key",
  credentialId: "apikey_1",
  organizationId: "org_1",
  organizationType: "platform",
  workspaceId: "wrkspc_1",
  userId: null,
  permissions: new Set(["things:read", "things:write"]),
  ...overrides,
});

const callers: Record<string, Principal> = {
  writer: principal({}),
  reader: principal({ permissions: new Set(["things:read"]) }),
  enterprise: principal({ organizationType: "enterprise", workspaceId: null }),
};

export async function startBareServer(
  routes: Route[],
  options: BareServerOptions = {},
): Promise<BareServer> {
  const world = await makeWorld();
  const answered: AnsweredRequest[] = [];
  const dispatchOptions: DispatchOptions = {
    routes,
    world,
    authentication: {
      authenticate: ({ headers }) => callers[String(headers["x-api-key"])],
      explain: (permission) => `this key lacks ${permission}.`,
    },
    onAnswered: (facts) => void answered.push(facts),
    checkReplies: options.checkReplies ?? true,
    proxies: options.proxies ?? 0,
    ...(options.elsewhere && { elsewhere: options.elsewhere }),
  };
  const dispatch = makeDispatch(dispatchOptions);
  const late: typeof dispatch = (...exchange) => void setImmediate(dispatch, ...exchange);
  const listening = await listen({
    host: "127.0.0.1",
    port: 0,
    dispatch: options.isLate === true ? late : dispatch,
    ...(options.lean !== false && { leanPaths: leanPathsOf(routes) }),
    ids: world.ids,
    ...(options.limits && { limits: options.limits }),
  });
  const stop = async () => void (await listening.drain(0));
  return {
    ...listening,
    base: `http://127.0.0.1:${listening.address.port}`,
    answered,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A raw connection that keeps what it has heard. */
export interface RawConnection {
  socket: Socket;
  heard(): string;
  send(text: string | Buffer): void;
  /** Resolves with everything heard once `wanted` is in it. */
  waitFor(wanted: string | RegExp, ms?: number): Promise<string>;
  closed: Promise<void>;
}

export async function openRawConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: false });
  let heard = "";
  socket.setEncoding("utf8").on("data", (text) => (heard += String(text)));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  await Promise.race([once(socket, "connect"), closed]);
  return {
    socket,
    closed,
    heard: () => heard,
    send: (text) => void socket.write(text),
    waitFor: async (wanted, ms = testTimeoutMs) => {
      await until(() => heard.search(wanted) !== -1, `hearing ${String(wanted)} in ${heard}`, ms);
      return heard;
    },
  };
}

/** Waits on a level, with a deadline. */
export async function until(holds: () => boolean, what: string, ms = testTimeoutMs): Promise<void> {
  const deadline = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const Thing = closed({ name: Type.String({ minLength: 1 }) });

/** One route of each kind that most tests want. */
export const commonRoutes: Route[] = [
  openRoute({
    operation: "open.get",
    method: "GET",
    path: "/open",
    summary: "Says hello.",
    reply: Type.Object({ hello: Type.String() }),
    handle: () => ({ hello: "world" }),
  }),
  openRoute({
    operation: "dialect.get",
    method: "GET",
    path: "/dialect",
    summary: "Says what the headers meant.",
    reply: Type.Object({ dialect: Type.String(), betas: Type.Array(Type.String()) }),
    handle: ({ dialect, betas }) => ({ dialect, betas: [...betas] }),
  }),
  route({
    operation: "things.create",
    method: "POST",
    path: "/things",
    summary: "Takes a thing.",
    permission: "things:write",
    organizations: ["platform"],
    beta: { name: "things-1", gate: "always" },
    body: Thing,
    bodyBytesMax: 100_000,
    lean: true,
    reply: Thing,
    handle: (_context, { body }) => body,
  }),
  openRoute({
    operation: "echo.create",
    method: "POST",
    path: "/echo",
    summary: "Gives the body back.",
    body: Type.Unknown(),
    bodyBytesMax: 100_000,
    lean: true,
    reply: Type.Unknown(),
    handle: (_context, { body }) => body,
  }),
];
