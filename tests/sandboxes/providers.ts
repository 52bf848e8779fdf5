// The providers of sandboxes that this machine has, each in every way in which it can be had here.
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { openLinux, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { isRoot, launchersHere } from "./machine.ts";

export interface ProviderHere {
  what: string;
  open: (directory: string) => Promise<SandboxProvider>;
}

const who = isRoot ? "as root" : "as an ordinary user";
const world = { clock: systemClock, random: systemRandom };

export const providersHere: readonly ProviderHere[] = launchersHere.map((launcher) => ({
  what: `linux by ${launcher}, ${who}`,
  open: (directory) => openLinux({ ...world, directory, launchers: [launcher] }),
}));
