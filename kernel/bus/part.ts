// The bus as a part of a process: made when it is first asked for, connected while the process runs.
import type { IncomingMessage } from "node:http";
import type { World } from "../context.ts";
import { part } from "../work/parts.ts";
import { makeBus, type BusHub } from "./bus.ts";
import { acceptPeer } from "./handshake.ts";
import { joinMachine } from "./machine.ts";
import { joinOthers, serveOther } from "./others.ts";

export const busPart = part("bus", {
  make: ({ logger, instruments }: World): BusHub =>
    makeBus({
      logger,
      lost: (reason, count) => instruments.busLost.with(reason).inc(count),
    }),
  start: (world, hub) => {
    const { directory, address } = world.busOptions;
    const joining = joinMachine(world, hub, directory);
    const leaveOthers = address === null ? undefined : joinOthers(world, hub, address);
    return async () => {
      await leaveOthers?.();
      await (
        await joining
      )();
    };
  },
});

/** For requests that ask for another protocol: another machine of this server may want to hear from this one. */
export function acceptBusPeer(world: World, request: IncomingMessage) {
  const { address } = world.busOptions;
  if (address === null) return undefined;
  return acceptPeer(world, request, {
    address,
    serve: (connection) => serveOther(world, busPart.of(world), connection),
  });
}
