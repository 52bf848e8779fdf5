// A name becomes addresses once; those that are refused fall away, and the connection goes to one of the others.
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { connect, isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { World } from "../../../kernel/context.ts";
import { judgeAddress } from "../../../kernel/http/outside/fetch.ts";
import { doorLimits } from "./limits.ts";
import { bareHost, type Target } from "./target.ts";

/** A sentence without its subject, the host, for who wanted to go there. */
export class DialFailure extends Error {
  override readonly name = "DialFailure";
  readonly reason: "address" | "unreachable" | "timeout";

  constructor(reason: DialFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface DialOptions {
  world: Pick<World, "clock" | "sections">;
  /** Waits for its turn: see `lookUpsMax`. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  lookup?: typeof systemLookup;
  /** Of this machine, as its interfaces have them. */
  ownAddresses?: () => readonly string[];
  signal: AbortSignal;
}

export async function dial(target: Target, options: DialOptions): Promise<Socket> {
  const late = new AbortController();
  const isLate = options.world.clock
    .sleep(doorLimits.connectMs, AbortSignal.any([late.signal, options.signal]))
    .then(() => {
      throw new DialFailure(
        "timeout",
        `did not answer within ${doorLimits.connectMs / 1000} seconds.`,
      );
    });
  const stopped = new AbortController();
  try {
    return await Promise.race([reach(target, options, stopped.signal), isLate]);
  } catch (error) {
    stopped.abort();
    throw error;
  } finally {
    late.abort();
    isLate.catch(() => {});
  }
}

async function reach(target: Target, options: DialOptions, stopped: AbortSignal): Promise<Socket> {
  const bare = bareHost(target);
  const family = isIP(bare);
  const found = family !== 0 ? [{ address: bare, family }] : await lookUp(bare, options, stopped);
  const open = expectOpen(found, options);
  return await connectTo(open, target.port, stopped);
}

async function lookUp(
  name: string,
  { inTurn, lookup = systemLookup }: DialOptions,
  stopped: AbortSignal,
): Promise<LookupAddress[]> {
  return await inTurn(async () => {
    if (stopped.aborted) return [];
    return await new Promise((resolve, reject) =>
      lookup(name, { all: true }, (error, found) => {
        if (error === null) resolve(found);
        else reject(new DialFailure("unreachable", `cannot be found (${error.code}).`));
      }),
    );
  });
}

const addressesOfMachine = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));

function expectOpen(
  found: readonly LookupAddress[],
  { world, ownAddresses = addressesOfMachine }: DialOptions,
): LookupAddress[] {
  const own = new Set(ownAddresses());
  const open = found.filter(({ address }) => {
    const kind = judgeAddress(world, address);
    return kind === "allowed" || (kind === "public" && !own.has(address));
  });
  if (open.length > 0) return open;
  const [{ address } = { address: "nothing" }] = found;
  const what = own.has(address) ? "of this server itself" : "not of the public internet";
  throw new DialFailure(
    "address",
    `leads to ${address}, which is ${what}. The operator may allow it with the setting network.allow_private_addresses.`,
  );
}

function connectTo(
  open: readonly LookupAddress[],
  port: number,
  stopped: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: "checked",
      port,
      lookup: (_name, _options, done) => done(null, [...open]),
      autoSelectFamily: true,
      allowHalfOpen: true,
      noDelay: true,
    });
    const stop = () => socket.destroy();
    stopped.addEventListener("abort", stop, { once: true });
    socket.once("connect", () => {
      stopped.removeEventListener("abort", stop);
      if (stopped.aborted) socket.destroy();
      resolve(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) =>
      reject(new DialFailure("unreachable", `cannot be reached (${codeOf(error)}).`)),
    );
  });
}

function codeOf(error: NodeJS.ErrnoException): string {
  const [first = error] =
    error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [];
  return first.code ?? "no code";
}
