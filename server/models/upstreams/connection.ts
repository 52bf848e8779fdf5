// The connections to one upstream: a pool, time limits, second tries before the first byte.
import type { Clock } from "../../../kernel/base/clock.ts";
import type { UpstreamMeter } from "../../../kernel/observe/models/instruments.ts";
import type { AttemptProgress } from "../types.ts";
import { deadlines } from "./deadlines.ts";
import { Exchange, type UpstreamReply } from "./exchange.ts";
import { healthRecord, type HealthRecord } from "../health/record.ts";
import { Http1Client } from "./http1/client.ts";
import { faultCodeOf, tlsClient } from "./http1/tls-client.ts";
import type { HttpClient } from "./http1/types.ts";
import { upstreamLimits as limits, type Timeouts } from "./limits.ts";

export interface UpstreamRequest {
  method: "GET" | "POST";
  /** After the base address. */
  path: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body?: Buffer | string;
  signal: AbortSignal;
  progress?: AttemptProgress | undefined;
}

export interface Connection {
  /** Rejects with what the client for HTTP says, or with the signal's reason. */
  send(request: UpstreamRequest): Promise<UpstreamReply>;
  /** It counts requests under way by itself; how answers ended is reported by their reader. */
  health: HealthRecord;
  /** Lets requests under way finish, for a while. */
  close(): Promise<void>;
}

/** There are as many requests under way as this server will have at one upstream. */
export class TooManyOpen extends Error {
  readonly code = "TOO_MANY_OPEN";
}

export function connect(
  baseUrl: string,
  timeouts: Timeouts,
  { clock, meter }: { clock: Clock; meter?: UpstreamMeter },
): Connection {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  const client = httpClient(origin, timeouts, clock);
  const health = healthRecord(clock, meter);
  const totals = deadlines(clock, timeouts.totalMs);
  const ends = deadlines(clock, limits.endMs);
  const lingers = deadlines(clock, limits.lingerMs);

  function once(request: UpstreamRequest): Promise<UpstreamReply> {
    const { method, path, headers, body, signal, progress } = request;
    if (health.open() >= limits.openMax) return Promise.reject(new TooManyOpen());
    health.opened();
    const exchange = new Exchange(signal, { closed: health.closed, ends, lingers }, progress);
    if (!signal.aborted) {
      exchange.endsAt(totals);
      client.dispatch({ method, path: prefix + path, headers, body: body ?? null }, exchange);
    }
    return exchange.reply;
  }

  return {
    health,
    send: async (request) => {
      for (let tries = 1; ; tries++) {
        const startedMs = clock.monotonicMs();
        try {
          return await once(request);
        } catch (error) {
          if (request.signal.aborted) throw request.signal.reason;
          const pauseMs = pauseBefore(error, tries, clock.monotonicMs() - startedMs);
          if (pauseMs === undefined) throw error;
          // A request that is sent again had not reached the upstream.
          if (request.progress !== undefined) request.progress.isSent = false;
          if (!(await clock.sleep(pauseMs, request.signal))) throw request.signal.reason;
        }
      }
    },
    close: async () => {
      const closed = new AbortController();
      const patience = clock.sleep(limits.drainMs, closed.signal);
      await Promise.race([client.close(), patience]);
      closed.abort();
      await client.destroy();
      totals.close();
      ends.close();
      lingers.close();
    },
  };
}

/** Our own client costs less; what has to be encrypted stays with undici. */
function httpClient(origin: string, timeouts: Timeouts, clock: Clock): HttpClient {
  const times = { ...timeouts, keepAliveMs: limits.keepAliveMs };
  return origin.startsWith("http:")
    ? new Http1Client(origin, times, clock)
    : tlsClient(origin, times, limits.openMax);
}

/** The code of an error, or its name: never its text, which may hold an address. */
export function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  // Both families of addresses were tried: the first error speaks for all.
  if (error instanceof AggregateError) return errorCodeOf(error.errors[0]);
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return faultCodeOf(code) ?? code;
}

const noConnection: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
]);
/** No connection was made: nothing was sent yet. */
export const isUnconnected = (code: string) => noConnection.has(code);
const closedConnection: ReadonlySet<string> = new Set(["CONNECTION_CLOSED", "ECONNRESET", "EPIPE"]);

/** Nothing was sent, or a kept connection was closed under the request: it may be sent again. */
function pauseBefore(error: unknown, tries: number, afterMs: number): number | undefined {
  const code = errorCodeOf(error);
  if (noConnection.has(code)) return limits.retryPausesMs[tries - 1];
  const isStale = closedConnection.has(code) && afterMs < limits.staleMs && tries === 1;
  return isStale ? limits.retryPausesMs[0] : undefined;
}

const outOfTime: ReadonlySet<string> = new Set([
  "CONNECT_TIMEOUT",
  "FIRST_BYTE_TIMEOUT",
  "BETWEEN_BYTES_TIMEOUT",
  "TOTAL_TIMEOUT",
]);
export const isTimeout = (error: unknown) => outOfTime.has(errorCodeOf(error));
