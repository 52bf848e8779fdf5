// The providers of sandboxes that this machine has, each in every way in which it can be had here.
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import {
  openDocker,
  openLinux,
  openVirtual,
  type SandboxProvider,
} from "../../server/sandboxes/module.ts";
import { daemonFault, testDaemon, testImage } from "./docker-daemon.ts";
import { isRoot, launchersHere } from "./machine.ts";

/** What a test needs and not every provider has. */
export type Need =
  | "jobs"
  | "order"
  | "bytes"
  | "processes"
  | "pipes"
  | "links"
  | "rights"
  | "network"
  | "beside"
  | "layers";

export interface ProviderHere {
  what: string;
  /** Why it has not what a test needs: that test is passed by, and says so. */
  lacks: Readonly<Partial<Record<Need, string>>>;
  open: (directory: string) => Promise<SandboxProvider>;
}

const who = isRoot ? "as root" : "as an ordinary user";
const world = { clock: systemClock, random: systemRandom };

const linux: readonly ProviderHere[] = launchersHere.map((launcher) => ({
  what: `linux by ${launcher}, ${who}`,
  lacks: {},
  open: (directory) => openLinux({ ...world, directory, launchers: [launcher] }),
}));

const virtual: ProviderHere = {
  what: `virtual, ${who}`,
  lacks: {
    jobs: "virtual: the shell runs nothing in the background",
    order: "virtual: errors come after output, and those of a call that was ended are lost",
    bytes: "virtual: output is text",
    processes: "virtual: there are no processes, and no /proc of them",
    pipes: "virtual: there are no pipes with names",
    links: "virtual: there are no symbolic links",
    beside: "virtual: nothing runs beside a call",
    layers: "virtual: there are no package managers, and nothing is shown in other sandboxes",
    network: "virtual: there is no network",
    rights: "virtual: files beside the workspace lie in memory and may all be written",
  },
  open: (directory) => openVirtual({ ...world, directory }),
};

const docker: ProviderHere = {
  what: `docker, ${who}`,
  lacks: {},
  open: async (directory) => {
    const { socket } = await testDaemon();
    return await openDocker({ ...world, directory, settings: { socket, image: testImage } });
  },
};

/** Where no daemon can be started, that one is not tried; the tests of `docker` alone say why. */
export const providersHere: readonly ProviderHere[] = [
  ...linux,
  virtual,
  ...(daemonFault === false ? [docker] : []),
];
