// One adapter for each upstream, made when it is first needed and closed when its settings change.
import type { World } from "../../kernel/context.ts";
import type { Upstream } from "./schema.ts";
import { makeSimulator } from "./simulator/adapter.ts";
import type { Adapter } from "./types.ts";

export interface Adapters {
  of(name: string, upstream: Upstream): Adapter;
  /** Closes those whose upstream is not among these any more, or has other settings. */
  keep(upstreams: ReadonlyMap<string, { upstream: Upstream }>): void;
  close(): Promise<void>;
}

type Parts = Pick<World, "clock" | "ids" | "logger">;

export function openAdapters(world: Parts): Adapters {
  const opened = new Map<string, { settings: string; adapter: Adapter }>();
  const closing = new Set<Promise<void>>();

  const drop = (name: string, adapter: Adapter) => {
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
      const adapter = makeAdapter(world, upstream);
      opened.set(name, { settings: JSON.stringify(upstream), adapter });
      return adapter;
    },
    keep: (upstreams) => {
      for (const [name, { settings, adapter }] of opened)
        if (JSON.stringify(upstreams.get(name)?.upstream) !== settings) drop(name, adapter);
    },
    close: async () => {
      for (const [name, { adapter }] of opened) drop(name, adapter);
      await Promise.all(closing);
    },
  };
}

function makeAdapter({ clock, ids }: Parts, { kind, scenario }: Upstream): Adapter {
  switch (kind) {
    case "simulator":
      return makeSimulator({ clock, ids, ...(scenario !== undefined && { scenario }) });
    case "messages":
    case "chat":
      throw new Error(`upstreams of the kind ${kind} cannot be spoken to yet`);
  }
}
