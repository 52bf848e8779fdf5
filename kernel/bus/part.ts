// The bus as a part of a process: made when it is first asked for, connected while the process runs.
import type { World } from "../context.ts";
import { part } from "../work/parts.ts";
import { makeBus, type BusHub } from "./bus.ts";
import { joinMachine } from "./machine.ts";

export const busPart = part("bus", {
  make: ({ logger, instruments }: World): BusHub =>
    makeBus({
      logger,
      lost: (reason, count) => instruments.busLost.with(reason).inc(count),
    }),
  start: (world, hub) => {
    const joining = joinMachine(world, hub, world.busOptions.directory);
    return async () => (await joining)();
  },
});
