// The layers of packages that this process builds, waits for, and takes away: one for each list on a machine.
import { untilAborted } from "../../../kernel/base/until-aborted.ts";
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
import type { MountedSession } from "../sandbox/mounts/mounts.ts";
import type { Slots } from "../sandbox/slots.ts";
import { openNetwork } from "../network/network.ts";
import { buildLayer, PackagesFault } from "./build.ts";
import { packageLimits } from "./limits.ts";
import {
  layerName,
  packagesOf,
  sessionLayer,
  sessionVariables,
  type Packages,
} from "./managers.ts";
import * as queries from "./queries.ts";
import { layersToRemove } from "./sweep.ts";
import { makeTeller } from "./teller.ts";

/** What a session's sandbox begins with. */
export interface ReadyLayer {
  id: string;
  layer: SandboxLayer;
  env: Record<string, string>;
}

interface Place {
  hostId: () => string;
  provider: () => Promise<SandboxProvider>;
  /** Of sandboxes that run: the layers that they show. */
  shown: () => string[];
  owner: string;
  /** The sandbox in which packages are installed takes room as any other. */
  slots: Pick<Slots, "enter" | "leave">;
}

/** Not there: it is to be built first. */
type FoundLayer = { isThere: true; layer: ReadyLayer | undefined } | { isThere: false };

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
   * Until what the environment of the session names is there. Throws a PackagesFault where it could not be installed.
   */
  async ready(session: Waiting, signal: AbortSignal): Promise<void> {
    await untilDatabaseIsThere(this.#world, signal, () => this.#ready(session, signal));
  }

  /** What the sandbox of the session begins with, without waiting for it. */
  find(sessionId: string, signal: AbortSignal): Promise<FoundLayer> {
    return untilDatabaseIsThere(this.#world, signal, async () => {
      const wanted = await this.#wantedOf(sessionId);
      if (wanted === undefined) return { isThere: true, layer: undefined };
      const { id, name, packages } = wanted;
      const { state, isHeld } = await this.#ask(wanted);
      if (state !== "built" || isHeld || !(await this.#isThere(name))) return { isThere: false };
      const layer = sessionLayer(name, packages);
      return { isThere: true, layer: { id, layer, env: sessionVariables(packages) } };
    });
  }

  async #ready(session: Waiting, signal: AbortSignal): Promise<void> {
    const wanted = await this.#wantedOf(session.id);
    if (wanted === undefined) return;
    const { id } = wanted;
    const waiting =
      this.#waiting.get(id) ??
      this.#settle({ ...wanted, session }).finally(() => this.#waiting.delete(id));
    this.#waiting.set(id, waiting);
    await untilAborted(waiting, signal);
  }

  async #wantedOf(sessionId: string): Promise<Omit<Wanted, "session"> | undefined> {
    const packages = packagesOf(await queries.findConfig(this.#world.db, sessionId));
    if (packages === undefined) return undefined;
    const name = layerName(this.#world, packages);
    return { id: `${this.#place.hostId()}/${name}`, name, packages };
  }

  #ask({ id, name }: Pick<Wanted, "id" | "name">): Promise<queries.AskedLayer> {
    return queries.askFor(this.#world.db, { id, hostId: this.#place.hostId(), name });
  }

  /** For all of this process that wait for the layer; it goes on when they leave. */
  async #settle(wanted: Wanted): Promise<void> {
    const { clock } = this.#world;
    const { name } = wanted;
    const { signal } = this.#ending;
    const since = (await this.#ask(wanted)).askedAt;
    for (;;) {
      signal.throwIfAborted();
      const asked = await this.#ask(wanted);
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
    const { db } = this.#world;
    const { owner, slots } = this.#place;
    try {
      await slots.enter(wanted.session.workspaceId, this.#ending.signal);
      try {
        const { id } = wanted;
        const [held] = await this.#holder.take(() =>
          queries.takeToBuild(db, { id, owner, isLost }),
        );
        return held !== undefined && (await this.#buildHeld(wanted, held));
      } finally {
        slots.leave();
      }
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
  #faultOf(error: unknown, { session }: Wanted): PackagesFault {
    if (error instanceof PackagesFault) return error;
    const isKnown = error instanceof SandboxError;
    if (!isKnown)
      this.#world.logger.error({ error, session: session.id }, "packages could not be installed");
    const words = isKnown ? error.message : "This server failed. Its log says more.";
    return new PackagesFault(`The packages could not be installed: ${words}`, null);
  }

  /** Where a process died after it had kept the layer, that is there. */
  async #install(wanted: Wanted, held: Held<queries.ClaimedLayer & Lease>): Promise<void> {
    if (await this.#isThere(wanted.name)) return;
    const { clock } = this.#world;
    const { packages: settings, rootfs } = this.#settings;
    const told = makeTeller(this.#world, wanted.id, held);
    try {
      await buildLayer({
        provider: await this.#place.provider(),
        settings,
        rootfs,
        packages: wanted.packages,
        name: wanted.name,
        network: openNetwork(this.#world, wanted.session.id),
        tell: told.tell,
        signal: AbortSignal.any([held.signal, this.#ending.signal]),
        nowMs: () => clock.monotonicMs(),
      });
    } finally {
      await told.stop();
    }
  }

  async #sweep(take: Take): Promise<void> {
    const { db } = this.#world;
    const ids = await layersToRemove(this.#world, this.#place.hostId());
    if (ids.length > 0)
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
  session: Waiting;
}

type Waiting = Pick<MountedSession, "id" | "workspaceId">;
