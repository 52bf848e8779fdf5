// The MCP servers of the agents of sessions: the connections that a process keeps for their threads.
import { untilAborted } from "../../../kernel/base/until-aborted.ts";
import type { World } from "../../../kernel/context.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import {
  connectServer,
  forgetVerdict,
  McpFault,
  mcpSettingsOf,
  type ListedTools,
  type McpConnection,
  type Waiting,
} from "../../mcp_client/module.ts";
import { judgeTarget, portOf, type NetworkPolicy, type Refusal } from "../../sandboxes/module.ts";
import {
  credentialsForServer,
  currentToken,
  noteUse,
  refreshAfter401,
  type HeldToken,
  type TokenOwner,
} from "../../vaults/module.ts";
import { limits } from "../limits.ts";
import type { WorkedSession } from "../model/queries.ts";

export interface Server {
  name: string;
  url: string;
}

/** In whose name servers are asked, and from where. */
export interface ServerCaller {
  session: Pick<WorkedSession, "id" | "organizationId" | "workspaceId" | "vaultIds">;
  threadId: string;
  policy: NetworkPolicy;
  onRefused: (refusal: Refusal) => void;
}

/** A thread does one thing at a time, so that a connection of its own is never asked for two. */
export interface KeptServer {
  url: string;
  authorization: string | undefined;
  connection: McpConnection;
  /** What may be asked over it is said by the environment as it is now. */
  reach: Pick<ServerCaller, "policy" | "onRefused">;
  /** Nothing has come over it yet, and it was made without asking which revision the server speaks. */
  isAssumed: boolean;
  listed: ListedTools | undefined;
  /** The toolset that it was listed for, as JSON. */
  listedFor: string;
  listedMs: number;
  usedMs: number;
  isInUse: boolean;
}

/** One for each process. */
class Servers {
  /** Of persons, while calls go on. */
  heldQuestions = 0;
  /** Credentials whose tokens are not renewed before then, by id. */
  readonly pausedUntil = new Map<string, number>();
  readonly #kept = new Map<string, KeptServer>();
  readonly #closing = new Set<Promise<void>>();

  take(key: string): KeptServer | undefined {
    return this.#kept.get(key);
  }

  keep(key: string, server: KeptServer): void {
    this.#kept.set(key, server);
    if (this.#kept.size <= limits.serversKeptMax) return;
    const idle = [...this.#kept].filter(([, { isInUse }]) => !isInUse);
    const [oldest] = idle.toSorted(([, one], [, other]) => one.usedMs - other.usedMs);
    if (oldest !== undefined) this.drop(oldest[0]);
  }

  drop(key: string): void {
    const server = this.#kept.get(key);
    if (server === undefined) return;
    this.#kept.delete(key);
    const closing = server.connection.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  dropIdle(nowMs: number): void {
    for (const [key, { usedMs, isInUse }] of this.#kept)
      if (!isInUse && nowMs - usedMs >= limits.serverIdleMs) this.drop(key);
  }

  async close(): Promise<void> {
    for (const key of this.#kept.keys()) this.drop(key);
    await Promise.all(this.#closing);
  }
}

export const serversPart = part("MCP servers of sessions", {
  make: (_world: World) => new Servers(),
  start: ({ clock, logger }, servers) => {
    const stop = every({ clock, logger }, limits.serverSweepMs, {
      name: "ending idle connections to MCP servers",
      act: async () => servers.dropIdle(clock.monotonicMs()),
    });
    return async () => {
      await stop();
      await servers.close();
    };
  },
});

/** What the vaults of a session have for a server. */
interface Credential {
  owner: TokenOwner;
  token: string;
}

/** Rule MCP15. */
async function credentialOf(
  world: World,
  { id: sessionId, organizationId, workspaceId, vaultIds }: ServerCaller["session"],
  url: string,
  waiting: Waiting,
): Promise<Credential | undefined> {
  const [owner, other] = await credentialsForServer(world.db, { workspaceId, vaultIds }, url);
  if (owner === undefined) return undefined;
  if (other !== undefined)
    throw new McpFault(
      "authentication",
      `has two credentials in the vaults of this session, ${owner.id} and ${other.id}, and is asked with neither: archive one of them.`,
    );
  const held = await renewed(world, owner, waiting, (how) => currentToken(world, owner, how));
  if (held === undefined) return undefined;
  const { hostname: host } = new URL(url);
  await noteUse(world, { ...owner, organizationId, sessionId, credentialId: owner.id, host });
  return { owner, token: held.token };
}

/**
 * The token, renewed where it has to be. What takes long or fails is left alone for a while, and the token is used as
 * it is: each step of a turn would wait for it anew.
 */
async function renewed(
  world: World,
  { id }: TokenOwner,
  waiting: Waiting,
  ask: (how?: "never") => Promise<HeldToken | undefined>,
): Promise<HeldToken | undefined> {
  const { pausedUntil } = serversPart.of(world);
  const nowMs = () => world.clock.monotonicMs();
  if (nowMs() < (pausedUntil.get(id) ?? 0)) return ask("never");
  pausedUntil.delete(id);
  const held = await inTime(world, ask(), waiting);
  const isGood = held !== "late" && [undefined, "succeeded"].includes(held?.refresh?.status);
  if (!isGood) pausedUntil.set(id, nowMs() + limits.serverRenewalPauseMs);
  return held === "late" ? ask("never") : held;
}

/** A renewal goes on without the one that waits for it, and is there for the next one that asks. */
async function inTime<T>(
  { clock }: World,
  renewal: Promise<T>,
  { signal, untilMs }: Waiting,
): Promise<T | "late"> {
  const leftMs = Math.min(untilMs - clock.monotonicMs(), limits.serverRenewalMs);
  const late = AbortSignal.timeout(Math.max(0, Math.ceil(leftMs)));
  try {
    return await untilAborted(renewal, AbortSignal.any([signal, late]));
  } catch (error) {
    if (error === late.reason) return "late";
    throw error;
  }
}

/** What the server of a call wants back is sealed for this call alone. */
export const questionStateContext = (callId: string) => `sessions/question-state/${callId}`;

const authorizationOf = (credential: Credential | undefined) =>
  credential && `Bearer ${credential.token}`;

/**
 * Over the connection of the thread, which is made where there is none. One that a server no longer knows is made
 * anew: what was asked over it was not done. Throws faults, and the reason of the signal.
 */
export async function withServer<T>(
  world: World,
  caller: ServerCaller,
  server: Server,
  {
    signal,
    untilMs = untilMsOf(world),
    mayAssume = false,
  }: Pick<Waiting, "signal"> & Partial<Waiting> & { mayAssume?: boolean },
  work: (kept: KeptServer, waiting: Waiting) => Promise<T>,
): Promise<T> {
  const servers = serversPart.of(world);
  const key = keyOf(caller, server);
  const waiting = { signal, untilMs, mayAssume };
  const credential = await credentialOf(world, caller.session, server.url, waiting);
  let authorization = authorizationOf(credential);
  const known = servers.take(key);
  const isSame = known?.url === server.url && known.authorization === authorization;
  if (!isSame) servers.drop(key);
  const ask = async (): Promise<T> => {
    const kept =
      servers.take(key) ?? (await connect(world, caller, { server, authorization, waiting }));
    kept.isInUse = true;
    Object.assign(kept.reach, { policy: caller.policy, onRefused: caller.onRefused });
    servers.keep(key, kept);
    try {
      const done = await work(kept, waiting);
      kept.isAssumed = false;
      return done;
    } catch (error) {
      // What came of it may still come: nothing else is asked over the same connection.
      const isFault = error instanceof McpFault;
      if (!(isFault && error.kind === "answer") || kept.isAssumed) servers.drop(key);
      if (!isFault || !kept.isAssumed || error.kind === "authentication") throw error;
      // It may speak another revision by now, and is asked which.
      forgetVerdict(world, { url: server.url, authorization });
      waiting.mayAssume = false;
      return await ask();
    } finally {
      kept.isInUse = false;
      kept.usedMs = world.clock.monotonicMs();
    }
  };
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    if (error.kind === "session_gone" && isSame) return ask();
    if (error.kind !== "authentication") throw error;
    if (credential === undefined)
      throw new McpFault(error.kind, `${error.message} ${noToken}`, { cause: error });
    const { owner, token } = credential;
    const next = await renewed(world, owner, waiting, (how) =>
      refreshAfter401(world, owner, token, how),
    );
    if (next === undefined || next.token === token) throw error;
    authorization = `Bearer ${next.token}`;
    return ask();
  }
}

const noToken = "No vault of the session has a token for its address.";

const keyOf = ({ threadId }: ServerCaller, { name }: Server) => `${threadId} ${name}`;

/** Nothing more is asked over it. */
export const dropServer = (world: World, caller: ServerCaller, server: Server): void =>
  serversPart.of(world).drop(keyOf(caller, server));

const untilMsOf = (world: World) => world.clock.monotonicMs() + mcpSettingsOf(world).connectMs;

async function connect(
  world: World,
  { policy, onRefused }: ServerCaller,
  {
    server: { url },
    authorization,
    waiting,
  }: {
    server: Server;
    authorization: string | undefined;
    waiting: Waiting & { mayAssume: boolean };
  },
): Promise<KeptServer> {
  const reach = { policy, onRefused };
  const refusalOf = (address: URL) => {
    const target = { host: address.hostname, port: portOf(address) };
    const verdict = judgeTarget(reach.policy, target);
    if (verdict.isAllowed) return undefined;
    reach.onRefused({ ...target, ...verdict });
    return `is at ${target.host}:${target.port}, which the environment does not allow (networking.allowed_hosts, networking.allow_mcp_servers).`;
  };
  const connection = await connectServer(
    world,
    { url, authorization, refusalOf },
    { ...waiting, mayAsk: true },
  );
  return {
    url,
    authorization,
    connection,
    reach,
    isAssumed: connection.isAssumed,
    listed: undefined,
    listedFor: "",
    listedMs: 0,
    usedMs: world.clock.monotonicMs(),
    isInUse: false,
  };
}
