// The sandboxes of sessions that this process has: each made for the first call, kept by a lease so that no other
// process opens its workspace too, and stopped when it has been idle.
import { makeKeyedQueues } from "../../../kernel/base/keyed-queues.ts";
import type { World } from "../../../kernel/context.ts";
import { every } from "../../../kernel/work/every.ts";
import { hold, type Holder } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import { part } from "../../../kernel/work/parts.ts";
import {
  hostIdOf,
  inWords,
  limitsWithin,
  sandboxSettingsOf,
  summaryOf,
  type Sandbox,
  type SandboxProvider,
  type SandboxSettings,
  type SandboxSummary,
} from "../../sandboxes/module.ts";
import { sandboxesChannel } from "../events/channel.ts";
import { limits } from "../limits.ts";
import { networkPart, openNetwork } from "../network/network.ts";
import { PackageLayers } from "../packages/layers.ts";
import { openSandboxVariables } from "../variables/variables.ts";
import { openMounts, type MountedSession, type Mounts } from "./mounts/mounts.ts";
import { sandboxesOf } from "./repositories/separate.ts";
import { enterRoom, mostOfProcess, type Parts, specOf } from "./room.ts";
import * as queries from "./queries.ts";
import { makeSlots, type Slots } from "./slots.ts";
import {
  openProvider,
  sandboxOf,
  takeWorkspace,
  untilDatabaseIsThere,
  type HeldSandbox,
} from "./workspaces.ts";

interface Running extends Parts {
  held: HeldSandbox;
  /** A call is under way, or about to begin. */
  isUsed: boolean;
  idleSinceMs: number;
  /** The shell that the agent knew ended with the sandbox before this one: its next line is told. */
  isShellNew: boolean;
  /** Another process waits for it. */
  isWanted: boolean;
}

/** What the work on a call finds. */
export interface Inside {
  sandbox: Sandbox;
  mounts: Mounts;
}

const leaseTimes = { leaseMs: limits.leaseMs, heartbeatMs: limits.heartbeatMs };

export class SessionSandboxes {
  readonly #world: World;
  readonly #settings: SandboxSettings;
  readonly #slots: Slots;
  readonly #holder: Holder<queries.ClaimedSandbox & Lease>;
  readonly #running = new Map<string, Running>();
  readonly #calls = makeKeyedQueues(1);
  readonly #packages: PackageLayers;
  #hostId: string | undefined;
  #provider: Promise<SandboxProvider> | undefined;
  /** Of this process, for as long as it lives. */
  readonly owner: string;

  constructor(world: World) {
    this.#world = world;
    this.#settings = sandboxSettingsOf(world);
    this.#slots = makeSlots(mostOfProcess(world), () => void this.#stopIdlest());
    this.owner = world.ids.next("sandboxes_");
    this.#packages = new PackageLayers(world, {
      hostId: () => this.hostId,
      provider: () => this.provider(),
      shown: () => [...this.#running.values()].flatMap(({ room }) => room.packages?.id ?? []),
      owner: this.owner,
      slots: this.#slots,
    });
    this.#holder = hold<queries.ClaimedSandbox & Lease>(world, {
      name: "sandbox",
      leasable: queries.sandboxLeases,
      times: { ...leaseTimes, pollMs: limits.sandboxSweepMs },
      claim: async ({ take }) => {
        const [mine, most] = [{ owner: this.owner, hostId: this.hostId }, limits.goneAtOnce];
        await take(() => queries.takeGone(world.db, { ...mine, leaseMs: limits.leaseMs, most }));
      },
      on: (held) => (held.row.isGone ? this.#remove(held) : undefined),
    });
  }

  get hostId(): string {
    return (this.#hostId ??= hostIdOf(this.#world));
  }

  /** In tests: whether a sandbox waits for room. */
  get isWaitedFor(): boolean {
    return this.#slots.isWaitedFor;
  }

  /** In tests: instead of the one that the settings name. */
  use(provider: SandboxProvider): void {
    this.#provider = Promise.resolve(provider);
  }

  start(): () => Promise<void> {
    const world = this.#world;
    const deaf = world.hints.listen(sandboxesChannel, (key) => void this.#heard(key));
    this.#holder.start();
    const stopPackages = this.#packages.start();
    const stopTelling = every(world, limits.hostSeenMs, {
      name: "telling that the workspaces of this machine are here",
      act: () => queries.tellHostSeen(world.db, this.hostId),
    });
    const stopSweep = every(world, limits.idleSweepMs, {
      name: "stopping idle sandboxes",
      act: () => this.#stopIdle(),
    });
    return async () => {
      deaf();
      await Promise.all([stopTelling(), stopSweep(), stopPackages()]);
      await Promise.all([...this.#running.values()].map((running) => this.#giveBack(running)));
      await this.#holder.stop();
      const provider = await this.#provider?.catch(() => undefined);
      await provider?.close();
    };
  }

  /** How sandboxes are made here, and what they hold. */
  summary(): Promise<SandboxSummary> {
    return summaryOf(this.provider());
  }

  /** Why no sandbox can be made here, and what mends it; undefined where one can. */
  async fault(): Promise<string | undefined> {
    const summary = await this.summary();
    return summary.ok ? undefined : inWords(summary);
  }

  /** Opened when it is first asked for: to see what works takes a moment. */
  provider(): Promise<SandboxProvider> {
    if (this.#provider !== undefined) return this.#provider;
    const opening = openProvider(this.#world);
    this.#provider = opening;
    // What an operator mends meanwhile is seen the next time.
    opening.catch(() => (this.#provider = undefined));
    return opening;
  }

  /** What `work` does, alone in the session's sandbox. The signal it is given also says that the sandbox is lost. */
  run<T>(
    session: MountedSession,
    signal: AbortSignal,
    work: (inside: Inside, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#calls.run(session.id, async () => {
      for (;;) {
        const provider = await untilDatabaseIsThere(this.#world, signal, () => this.provider());
        const running = await this.#begin(session, signal);
        const { held, room } = running;
        try {
          const { mounts, variables } = running;
          await provider.ensure(specOf(running));
          signal.throwIfAborted();
          await variables.prepare(provider);
          if (held.isSure()) {
            const sandbox = sandboxOf(provider, running);
            return await work({ sandbox, mounts }, AbortSignal.any([signal, held.signal]));
          }
        } finally {
          room.spare.leave();
          running.isUsed = false;
          running.idleSinceMs = this.#world.clock.monotonicMs();
          const isOver = running.isWanted || this.#slots.isWaitedFor || !held.isSure();
          if (isOver) await this.#giveBack(running);
        }
        // Lost before anything of the call had begun: it is taken anew.
      }
    });
  }

  async #begin(session: MountedSession, signal: AbortSignal): Promise<Running> {
    const known = this.#running.get(session.id);
    if (known !== undefined) {
      known.isUsed = true;
      return known;
    }
    const among = { slots: this.#slots, layers: this.#packages };
    const room = await enterRoom(this.#world, among, session, signal);
    try {
      const provider = await this.provider();
      const variables = await untilDatabaseIsThere(this.#world, signal, () =>
        openSandboxVariables(this.#world, session),
      );
      const { held, config } = await takeWorkspace(this.#world, session.id, {
        owner: this.owner,
        hostId: this.hostId,
        holder: this.#holder,
        signal,
      });
      const idleSinceMs = this.#world.clock.monotonicMs();
      const asked = (config?.type === "cloud" && config.sandbox) || {};
      const sizes = limitsWithin(this.#settings.limits, asked);
      const { id } = session;
      const running = {
        session,
        held,
        limits: sizes,
        room,
        network: openNetwork(this.#world, session.id, variables),
        variables,
        mounts: openMounts(
          this.#world,
          session,
          sandboxesOf(provider, { id, limits: sizes }, room.spare),
        ),
        isUsed: true,
        idleSinceMs,
        isShellNew: held.lease.epoch > 1,
        isWanted: false,
      };
      this.#running.set(session.id, running);
      held.signal.addEventListener("abort", () => void this.#giveBack(running), { once: true });
      return running;
    } catch (error) {
      room.leave();
      throw error;
    }
  }

  /** Its processes end, and another process may have it. */
  async #giveBack(running: Running): Promise<void> {
    const { session, held } = running;
    if (this.#running.get(session.id) !== running) return;
    this.#running.delete(session.id);
    try {
      await (await this.provider()).stop(session.id);
      // Where it is lost there is nothing to give back.
      if (!held.signal.aborted) await queries.sandboxLeases.release(this.#world.db, [held.lease]);
    } catch (error) {
      const { logger } = this.#world;
      logger.warn({ error, session: session.id }, "a sandbox was not given back; its lease lapses");
    } finally {
      held.end();
      running.room.leave();
    }
  }

  async #heard(sessionId: string): Promise<void> {
    const running = this.#running.get(sessionId);
    if (running?.isUsed === true) running.isWanted = true;
    else if (running !== undefined) await this.#giveBack(running);
    // It may be gone.
    this.#holder.wake();
  }

  async #stopIdle(): Promise<void> {
    const nowMs = this.#world.clock.monotonicMs();
    const idle = [...this.#running.values()].filter(
      ({ isUsed, idleSinceMs }) => !isUsed && nowMs - idleSinceMs >= this.#settings.idleMs,
    );
    await Promise.all(idle.map((running) => this.#giveBack(running)));
  }

  async #stopIdlest(): Promise<void> {
    const [idlest] = [...this.#running.values()]
      .filter(({ isUsed }) => !isUsed)
      .toSorted((a, b) => a.idleSinceMs - b.idleSinceMs);
    if (idlest !== undefined) await this.#giveBack(idlest);
  }

  /** The workspace goes before the row that tells of it. */
  async #remove(held: HeldSandbox): Promise<void> {
    const { id } = held.lease;
    try {
      await (await this.provider()).destroy(id);
      await queries.forgetWorkspaces(this.#world.db, [id]);
    } finally {
      held.end();
    }
  }
}

export const sandboxesPart = part("sandboxes of sessions", {
  needs: [networkPart],
  make: (world: World) => new SessionSandboxes(world),
  start: (_world, sandboxes) => sandboxes.start(),
});
