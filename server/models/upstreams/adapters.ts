// One adapter for each upstream, made when it is first needed and closed when its settings change.
import type { World } from "../../../kernel/context.ts";
import type { UpstreamMeter } from "../../../kernel/observe/models/instruments.ts";
import type { Upstream } from "../schema.ts";
import { makeSimulator } from "../simulator/adapter.ts";
import { tokensOfBody } from "../tokens.ts";
import type { Adapter } from "../types.ts";
import type { UpstreamHealth } from "../health/record.ts";
import { chatAdapter } from "../chat/adapter.ts";
import { messagesAdapter, type UpstreamOptions } from "../messages/adapter.ts";

/** What the processes of a server ask each other: how upstreams fare. */
export const healthTopic = "upstreams.health";

export interface Adapters {
  of(name: string, upstream: Upstream): Adapter;
  /** Closes adapters whose upstream is not among these any more, or has other settings. */
  keepOnly(upstreams: ReadonlyMap<string, { upstream: Upstream }>): void;
  /** Requests that this upstream has from this process. */
  underWay(name: string): number;
  /** How upstreams fare in this process, by name. */
  health(): Record<string, UpstreamHealth>;
  close(): Promise<void>;
}

type Parts = Pick<World, "clock" | "ids" | "logger" | "instruments">;

export function openAdapters(world: Parts): Adapters {
  const { instruments } = world;
  const opened = new Map<string, { settings: string; adapter: Adapter; unwatch: () => void }>();
  const closing = new Set<Promise<void>>();

  const drop = (name: string, adapter: Adapter) => {
    opened.get(name)?.unwatch();
    opened.delete(name);
    const closed = adapter
      .close()
      .catch((error: unknown) =>
        world.logger.warn({ error: String(error) }, "closing an upstream failed"),
      )
      .finally(() => closing.delete(closed));
    closing.add(closed);
  };

  return {
    of: (name, upstream) => {
      const found = opened.get(name);
      if (found !== undefined) return found.adapter;
      const meter = instruments.upstreamMeter(name);
      const adapter = makeAdapter(world, upstream, meter);
      const unwatch = instruments.watchUpstream(name, adapter.health);
      opened.set(name, { settings: JSON.stringify(upstream), adapter, unwatch });
      return adapter;
    },
    keepOnly: (upstreams) => {
      for (const [name, { settings, adapter }] of opened)
        if (JSON.stringify(upstreams.get(name)?.upstream) !== settings) drop(name, adapter);
    },
    underWay: (name) => opened.get(name)?.adapter.underWay() ?? 0,
    health: () =>
      Object.fromEntries([...opened].map(([name, { adapter }]) => [name, adapter.health()])),
    close: async () => {
      for (const [name, { adapter }] of opened) drop(name, adapter);
      await Promise.all(closing);
    },
  };
}

function makeAdapter(world: Parts, upstream: Upstream, meter: UpstreamMeter): Adapter {
  const { kind, scenario } = upstream;
  if (kind === "simulator")
    return makeSimulator({ ...world, meter, ...(scenario !== undefined && { scenario }) });
  const options = { ...optionsOf(world, upstream), meter };
  return kind === "messages"
    ? messagesAdapter(options)
    : chatAdapter({ ...options, estimate: tokensOfBody });
}

function optionsOf({ clock, logger }: Parts, upstream: Upstream): UpstreamOptions {
  const { base_url: baseUrl = "", key, headers, timeouts = {} } = upstream;
  const { connect_ms, first_byte_ms, between_bytes_ms, total_ms } = timeouts;
  return {
    baseUrl,
    clock,
    logger,
    ...(key !== undefined && { key }),
    ...(headers !== undefined && { headers }),
    timeouts: {
      ...(connect_ms !== undefined && { connectMs: connect_ms }),
      ...(first_byte_ms !== undefined && { firstByteMs: first_byte_ms }),
      ...(between_bytes_ms !== undefined && { betweenBytesMs: between_bytes_ms }),
      ...(total_ms !== undefined && { totalMs: total_ms }),
    },
  };
}
