// The layers of packages that this process builds, waits for, and takes away: one for each list on a machine.
import { createHash } from "node:crypto";
import type { World } from "../../../kernel/context.ts";
import { every } from "../../../kernel/work/every.ts";
import { hold, type Held, type Holder } from "../../../kernel/work/hold.ts";
import { LeaseLost, type Lease } from "../../../kernel/work/lease.ts";
import {
  SandboxError,
  sandboxSettingsOf,
  type SandboxLayer,
  type SandboxProvider,
  type SandboxSettings,
} from "../../sandboxes/module.ts";
import { isDatabaseLost } from "../model/failures.ts";
import { untilDatabaseIsThere } from "../sandbox/workspaces.ts";
import { openNetwork } from "../network/network.ts";
import { buildLayer, PackagesFault } from "./build.ts";
import { packageLimits } from "./limits.ts";
import { packagesOf, sessionLayer, sessionVariables, type Packages } from "./managers.ts";
import * as queries from "./queries.ts";

/** What a session's sandbox begins with. */
export interface ReadyLayer {
  id: string;
  layer: SandboxLayer;
  env: Record<string, string>;
}

/** One list on one machine is one layer; another root file system makes others of the same list. */
export function layerName(world: Pick<World, "sections">, packages: Packages): string {
  const { rootfs } = sandboxSettingsOf(world);
  const what = JSON.stringify([recipe, process.arch, rootfs, packages]);
  return createHash("sha256").update(what).digest("hex").slice(0, 40);
}

/** Another number makes all layers anew. */
const recipe = 1;

interface Place {
  hostId: () => string;
  provider: () => Promise<SandboxProvider>;
  /** Of sandboxes that run: the layers that they show. */
  shown: () => string[];
  owner: string;
}

export class PackageLayers {
  readonly #world: World;
  readonly #place: Place;
  readonly #settings: SandboxSettings;
  readonly #holder: Holder<queries.ClaimedLayer & Lease>;
  /** What is being waited for, by the id of the layer. */
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #ending = new AbortController();
  #isBuilding = false;

  constructor(world: World, place: Place) {
    this.#world = world;
    this.#place = place;
    this.#settings = sandboxSettingsOf(world);
    const { leaseMs, heartbeatMs, sweepMs } = packageLimits;
    this.#holder = hold<queries.ClaimedLayer & Lease>(world, {
      name: "layer of packages",
      leasable: queries.layerLeases,
      times: { leaseMs, heartbeatMs, pollMs: sweepMs },
      claim: ({ take }) => this.#sweep(take),
      on: (held) => (held.row.task === "remove" ? this.#remove(held) : undefined),
    });
  }

  start(): () => Promise<void> {
    this.#holder.start();
    const stopTelling = every(this.#world, packageLimits.usedMs, {
      name: "telling which layers of packages sandboxes show",
      act: async () => {
        const ids = this.#place.shown();
        if (ids.length > 0) await queries.tellUsed(this.#world.db, ids);
      },
    });
    return async () => {
      this.#ending.abort(new Error("the server stops"));
      await stopTelling();
      await Promise.allSettled(this.#waiting.values());
      await this.#holder.stop();
    };
  }

  /**
   * What the environment of the session names, when it is there; undefined where it names nothing. Throws a
   * PackagesFault where it could not be installed.
   */
  async ready(sessionId: string, signal: AbortSignal): Promise<ReadyLayer | undefined> {
    return await untilDatabaseIsThere(this.#world, signal, () => this.#ready(sessionId, signal));
  }

  async #ready(sessionId: string, signal: AbortSignal): Promise<ReadyLayer | undefined> {
    const packages = packagesOf(await queries.findConfig(this.#world.db, sessionId));
    if (packages === undefined) return undefined;
    const name = layerName(this.#world, packages);
    const id = `${this.#place.hostId()}/${name}`;
    const waiting =
      this.#waiting.get(id) ??
      this.#settle({ id, name, packages, sessionId }).finally(() => this.#waiting.delete(id));
    this.#waiting.set(id, waiting);
    await untilAborted(waiting, signal);
    return { id, layer: sessionLayer(name, packages), env: sessionVariables(packages) };
  }

  /** For all of this process that wait for the layer; it goes on when they leave. */
  async #settle(wanted: Wanted): Promise<void> {
    const { db, clock } = this.#world;
    const { id, name } = wanted;
    const { signal } = this.#ending;
    const ask = () => queries.askFor(db, { id, hostId: this.#place.hostId(), name });
    const since = (await ask()).askedAt;
    for (;;) {
      signal.throwIfAborted();
      const asked = await ask();
      if (asked.state === "failed" && asked.endedAt !== null && asked.endedAt > since)
        throw new PackagesFault(
          asked.words ?? "The packages could not be installed.",
          asked.manager,
        );
      const isLost = asked.state === "built" && !(await this.#isThere(name));
      if (asked.state === "built" && !isLost && !asked.isHeld) return;
      if (!asked.isHeld && !this.#isBuilding && (await this.#build(wanted, isLost))) return;
      await clock.sleep(packageLimits.askMs, signal);
    }
  }

  async #isThere(name: string): Promise<boolean> {
    const { layers } = await this.#place.provider();
    return (await layers.list()).includes(name);
  }

  /** False where another process builds it, or may do so now. */
  async #build(wanted: Wanted, isLost: boolean): Promise<boolean> {
    this.#isBuilding = true;
    try {
      const { db } = this.#world;
      const { owner } = this.#place;
      const [held] = await this.#holder.take(() =>
        queries.takeToBuild(db, { id: wanted.id, owner, isLost }),
      );
      if (held === undefined) return false;
      return await this.#buildHeld(wanted, held);
    } finally {
      this.#isBuilding = false;
    }
  }

  async #buildHeld(wanted: Wanted, held: Held<queries.ClaimedLayer & Lease>): Promise<boolean> {
    const end = async (ending: queries.BuildEnd) => {
      await this.#world.db.tx(async (tx) => {
        await queries.layerLeases.fenced(tx, held.lease);
        await queries.endBuild(tx, wanted.id, ending);
      });
    };
    try {
      await this.#install(wanted, held);
      const { layers } = await this.#place.provider();
      const bytes = (await layers.sizeOf(wanted.name)) ?? 0;
      await end({ state: "built", manager: null, words: null, bytes });
      this.#holder.wake();
      return true;
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) return false;
      // The lease lapses, or is given back, and who takes it then begins anew.
      if (isDatabaseLost(error) || this.#ending.signal.aborted) throw error;
      const fault = this.#faultOf(error, wanted);
      await end({ state: "failed", manager: fault.manager, words: fault.message, bytes: 0 });
      throw fault;
    } finally {
      if (this.#ending.signal.aborted)
        await queries.layerLeases.release(this.#world.db, [held.lease]);
      held.end();
    }
  }

  /** A sandbox that cannot be made, or breaks, is a failure as any other; all else is a bug. */
  #faultOf(error: unknown, { sessionId }: Wanted): PackagesFault {
    if (error instanceof PackagesFault) return error;
    const isKnown = error instanceof SandboxError;
    if (!isKnown)
      this.#world.logger.error({ error, session: sessionId }, "packages could not be installed");
    const words = isKnown ? error.message : "This server failed. Its log says more.";
    return new PackagesFault(`The packages could not be installed: ${words}`, null);
  }

  /** Where a process died after it had kept the layer, that is there. */
  async #install(wanted: Wanted, held: Held<queries.ClaimedLayer & Lease>): Promise<void> {
    if (await this.#isThere(wanted.name)) return;
    const { clock } = this.#world;
    const { packages: settings, rootfs } = this.#settings;
    const told = this.#teller(wanted.id, held);
    try {
      await buildLayer({
        provider: await this.#place.provider(),
        settings,
        rootfs,
        packages: wanted.packages,
        name: wanted.name,
        network: openNetwork(this.#world, wanted.sessionId),
        tell: told.tell,
        signal: AbortSignal.any([held.signal, this.#ending.signal]),
        nowMs: () => clock.monotonicMs(),
      });
    } finally {
      await told.stop();
    }
  }

  /** Writes the newest line every so often. */
  #teller(id: string, held: Held<queries.ClaimedLayer & Lease>) {
    let newest: Parameters<typeof queries.tellProgress>[2] | undefined;
    const stop = every(this.#world, packageLimits.toldMs, {
      name: "telling how packages are installed",
      act: async () => {
        const said = newest;
        newest = undefined;
        if (said === undefined) return;
        await this.#world.db.tx(async (tx) => {
          await queries.layerLeases.fenced(tx, held.lease);
          await queries.tellProgress(tx, id, said);
        });
      },
    });
    const tell = (manager: NonNullable<typeof newest>["manager"], words: string): void => {
      if (words !== "") newest = { manager, words };
    };
    return { tell, stop };
  }

  /** Those that no environment names; then, while all take more than they may, those that were used least recently. */
  async #sweep(take: Take): Promise<void> {
    const { db } = this.#world;
    const layers = await queries.listOfHost(db, this.#place.hostId());
    if (layers.length === 0) return;
    const named = new Set(
      (await queries.namedLists(db)).flatMap((config) => {
        const packages = packagesOf(config);
        return packages === undefined ? [] : [layerName(this.#world, packages)];
      }),
    );
    let bytes = layers.reduce((sum, layer) => sum + layer.bytes, 0);
    const ids = layers.flatMap((layer) => {
      const isTooMuch = bytes > this.#settings.packages.totalBytes && layer.bytes > 0;
      if (!layer.isUnused || (named.has(layer.name) && !isTooMuch)) return [];
      bytes -= layer.bytes;
      return [layer.id];
    });
    if (ids.length === 0) return;
    await take(() => queries.takeToRemove(db, { ids, owner: this.#place.owner }));
  }

  async #remove(held: Held<queries.ClaimedLayer & Lease>): Promise<void> {
    try {
      const { layers } = await this.#place.provider();
      await layers.remove(held.row.name);
      await this.#world.db.tx(async (tx) => {
        await queries.layerLeases.fenced(tx, held.lease);
        await queries.deleteLayer(tx, held.lease.id);
      });
    } finally {
      held.end();
    }
  }
}

type Take = Parameters<
  Parameters<typeof hold<queries.ClaimedLayer & Lease>>[1]["claim"]
>[0]["take"];

interface Wanted {
  id: string;
  name: string;
  packages: Packages;
  /** Whose network it is installed by. */
  sessionId: string;
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  work.catch(() => {}); // told to those that still wait
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
    aborted.promise.catch(() => {});
  }
}
