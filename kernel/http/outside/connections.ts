// Connections to addresses that clients chose: kept for a moment after a whole answer, for the next question there.
import type { lookup as systemLookup } from "node:dns";
import type { LookupFunction, Socket } from "node:net";
import { buildConnector, Client } from "undici";
import type { AddressRanges } from "../../base/addresses.ts";

export interface ConnectionLimits {
  /** A name that leads elsewhere by then is looked at again. */
  ageMs: number;
  idleMs: number;
  keptPerDestinationMax: number;
  /** Of all destinations; the one used longest ago goes first. */
  keptMax: number;
}

/** Only of what is kept: a destination that is slow does not make other callers wait for their turn. */
const productLimits: ConnectionLimits = {
  ageMs: 60_000,
  idleMs: 10_000,
  keptPerDestinationMax: 4,
  keptMax: 64,
};

/** What a connection was made with: it serves no question that differs in any of it. */
export interface Destination {
  origin: string;
  allowed: AddressRanges;
  /** Its addresses were not checked for plain http. */
  mayBePlain: boolean;
  caCertPem: string | undefined;
  lookup: typeof systemLookup;
}

export interface OutsideConnection {
  readonly client: Client;
  /** Not a byte has come over it since it was kept last. */
  isSilent(): boolean;
  /** Its answer was read whole: it may serve the next question. */
  keep(): void;
  destroy(): void;
}

/** One for each process. */
export interface OutsideConnections {
  open(
    destination: Destination,
    connect: { lookup: LookupFunction; timeoutMs: number },
  ): OutsideConnection;
  /** One that is kept, so that its addresses were checked for the same destination. */
  takeKept(destination: Destination): OutsideConnection | undefined;
  /** What is kept ends, and nothing is kept any more. */
  close(): void;
}

interface Kept extends OutsideConnection {
  destination: Destination;
}

export function openOutsideConnections(
  limits: ConnectionLimits = productLimits,
): OutsideConnections {
  /** The one used longest ago first. */
  const kept = new Set<Kept>();
  let isClosed = false;

  const to = (destination: Destination) =>
    [...kept].filter((one) => isSame(one.destination, destination));

  function makeRoom(destination: Destination): void {
    const there = to(destination);
    if (there.length >= limits.keptPerDestinationMax) there[0]?.destroy();
    const [oldest] = kept;
    if (kept.size >= limits.keptMax) oldest?.destroy();
  }

  return {
    open: (destination, { lookup, timeoutMs }) => {
      const openedMs = performance.now();
      const { origin, caCertPem } = destination;
      const connect = buildConnector({
        lookup,
        timeout: timeoutMs,
        allowH2: false,
        ...(caCertPem !== undefined && { ca: caCertPem }),
      });
      let socket: Socket | undefined;
      let readBytes = 0;
      const client = new Client(origin, {
        connect: (options, done) =>
          connect(options, (...[error, opened]) => {
            if (error !== null) return done(error, null);
            socket = opened;
            done(null, opened);
          }),
        // One answer at a time: what comes over a connection belongs to its one question.
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: limits.idleMs,
        keepAliveMaxTimeout: limits.idleMs,
      });
      const one: Kept = {
        destination,
        client,
        isSilent: () => socket?.bytesRead === readBytes,
        keep: () => {
          const isOld = performance.now() - openedMs >= limits.ageMs;
          if (isClosed || isOld || socket === undefined || socket.destroyed) return one.destroy();
          makeRoom(destination);
          readBytes = socket.bytesRead;
          kept.add(one);
        },
        destroy: () => {
          kept.delete(one);
          // Not awaited: a name that is still being looked up would delay the answer.
          client.destroy().catch(() => {});
        },
      };
      // Closed by its peer, or idle for too long, or what came was not asked for: or the client would open another.
      client.on("disconnect", () => one.destroy());
      return one;
    },
    takeKept: (destination) => {
      const one = to(destination).at(-1);
      if (one !== undefined) kept.delete(one);
      return one;
    },
    close: () => {
      isClosed = true;
      for (const one of kept) one.destroy();
    },
  };
}

const isSame = (one: Destination, other: Destination) =>
  one.origin === other.origin &&
  one.allowed === other.allowed &&
  one.mayBePlain === other.mayBePlain &&
  one.caCertPem === other.caCertPem &&
  one.lookup === other.lookup;
