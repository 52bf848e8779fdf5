// Wake-up calls between processes. Polling is the truth; a hint only makes the next poll come sooner.
import pg from "pg";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { type Random, systemRandom } from "../base/random.ts";
import { type ConnectionSettings, clientConfig } from "./connection.ts";

export interface Hints {
  /**
   * Sent on a connection of its own and coalesced: call it after the commit, never inside. `toOthers`: this process
   * knows already.
   */
  send(channel: string, key: string, options?: { toOthers?: boolean }): void;
  /**
   * Calls back for each hint on the channel, this process's own included, and with the key "*", which
   * means "anything may have changed", after every reconnect and where there was too much to tell.
   */
  listen(channel: string, listener: (key: string) => void): () => void;
  close(): Promise<void>;
}

/** The channel of NOTIFY, under a name of Plinth's: other programs may use NOTIFY in the same database. */
const notifyChannel = "plinth_hints";
/** A payload has at most 8,000 bytes; a key that would not fit is sent as "*". */
const keyBytesMax = 1_000;
/** A channel with more keys in one tick gets "*". */
const keysWaitingMax = 10_000;
const probeEveryMs = 30_000;
const answerMsMax = 10_000;
const reconnectMsMax = 5_000;
const goodbyeMsMax = 1_000;

interface HintsState {
  connection: ConnectionSettings;
  logger: Logger;
  clock: Clock;
  random: Random;
  client: pg.Client | undefined;
  /** This connection's backend: its notifications come back, and were delivered here at once. */
  backend: number;
  /** The keys of each channel, and whether this process is to be told too. */
  waiting: Map<string, Map<string, boolean>>;
  /** Channels with hints that could not be sent. */
  missed: Set<string>;
  listeners: Map<string, Set<(key: string) => void>>;
  flushing: Promise<void> | undefined;
  closed: AbortController;
}

/** Opens the connection, or goes on trying in the background: hints are never a reason not to start. */
export async function openHints(
  connection: ConnectionSettings,
  options: { logger: Logger; clock?: Clock; random?: Random },
): Promise<Hints> {
  const { logger, clock = systemClock, random = systemRandom } = options;
  const state: HintsState = {
    connection,
    logger,
    clock,
    random,
    client: undefined,
    backend: 0,
    waiting: new Map(),
    missed: new Set(),
    listeners: new Map(),
    flushing: undefined,
    closed: new AbortController(),
  };
  if (!(await connect(state))) void reconnect(state);
  // A connection that a firewall forgot gives no error until something is sent on it.
  const probe = setInterval(() => void state.client?.query("select").catch(() => {}), probeEveryMs);
  probe.unref();
  return {
    send: (channel, key, { toOthers = false } = {}) => {
      if (state.closed.signal.aborted) return;
      note(state, channel, key, !toOthers);
      state.flushing ??= flush(state);
    },
    listen: (channel, listener) => {
      const listeners = state.listeners.get(channel) ?? new Set();
      state.listeners.set(channel, listeners.add(listener));
      return () => void listeners.delete(listener);
    },
    close: async () => {
      clearInterval(probe);
      const client = state.client;
      const left = new AbortController();
      const leave = async () => {
        await state.flushing;
        state.closed.abort();
        state.client = undefined;
        await client?.end().catch(() => {});
        left.abort();
      };
      // A database that hangs never ends the connection; `close` waits no longer than this.
      await Promise.race([leave(), clock.sleep(goodbyeMsMax, left.signal)]);
      state.closed.abort();
      if (client !== undefined) socketOf(client).destroy();
    },
  };
}

function note({ waiting }: HintsState, channel: string, key: string, isForHere: boolean): void {
  const keys = waiting.get(channel) ?? new Map<string, boolean>();
  waiting.set(channel, keys);
  if (keys.has("*")) return;
  const all = keys.size >= keysWaitingMax || Buffer.byteLength(key) > keyBytesMax;
  if (all) keys.clear();
  if (all) keys.set("*", true);
  else keys.set(key, isForHere || keys.get(key) === true);
}

/** Once a tick, and not again before the last one is through: under load hints gather by themselves. */
async function flush(state: HintsState): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  while (state.waiting.size > 0) {
    const hints = [...state.waiting].flatMap(([channel, keys]) =>
      [...keys].map(([key, isForHere]) => ({ channel, key, isForHere })),
    );
    state.waiting = new Map();
    for (const { channel, key, isForHere } of hints) if (isForHere) deliver(state, channel, key);
    await publish(state, hints);
  }
  state.flushing = undefined;
}

async function publish(
  state: HintsState,
  hints: { channel: string; key: string }[],
): Promise<void> {
  try {
    if (!state.client) throw new Error("there is no connection just now");
    await state.client.query({
      name: "hints",
      text: `select pg_notify($1, channel || ' ' || key)
        from unnest($2::text[], $3::text[]) as hint (channel, key)`,
      values: [notifyChannel, hints.map(({ channel }) => channel), hints.map(({ key }) => key)],
    });
  } catch (error) {
    for (const { channel } of hints) state.missed.add(channel);
    state.logger.debug({ error: (error as Error).message }, "hints wait for the connection");
  }
}

function deliver({ listeners, logger }: HintsState, channel: string, key: string): void {
  for (const listener of listeners.get(channel) ?? []) {
    try {
      listener(key);
    } catch (error) {
      logger.error({ error, channel, key }, "a listener failed on a hint");
    }
  }
}

async function connect(state: HintsState): Promise<boolean> {
  const client = new pg.Client({
    ...clientConfig(state.connection),
    application_name: "plinth hints",
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
    keepAlive: true,
  });
  const lost = (reason?: Error) => {
    if (state.client !== client) return;
    state.client = undefined;
    state.logger.warn({ error: reason?.message }, "the connection for hints was lost");
    void client.end().catch(() => {});
    void reconnect(state);
  };
  client.on("error", lost);
  client.on("end", lost);
  client.on("notification", ({ processId, payload = "" }) => {
    const [channel = "", ...key] = payload.split(" ");
    if (processId !== state.backend) deliver(state, channel, key.join(" "));
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    await client.query(`listen ${notifyChannel}`);
    if (state.closed.signal.aborted) throw new Error("closed meanwhile");
    state.backend = rows[0]?.pid ?? 0;
    state.client = client;
    return true;
  } catch (error) {
    state.logger.debug({ error: (error as Error).message }, "no connection for hints");
    client.end().catch(() => {});
    return false;
  }
}

async function reconnect(state: HintsState): Promise<void> {
  const { clock, random, closed } = state;
  for (let attempt = 0; ; attempt++) {
    const ms = Math.min(100 * 2 ** attempt, reconnectMsMax) * (0.5 + random.fraction() / 2);
    if (!(await clock.sleep(ms, closed.signal))) return;
    if (await connect(state)) break;
  }
  state.logger.info({}, "the connection for hints is back");
  for (const channel of state.listeners.keys()) deliver(state, channel, "*");
  const missed = [...state.missed];
  state.missed.clear();
  if (missed.length > 0)
    await publish(
      state,
      missed.map((channel) => ({ channel, key: "*" })),
    );
}

/** The driver's types hide it. */
const socketOf = (client: pg.Client) =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
