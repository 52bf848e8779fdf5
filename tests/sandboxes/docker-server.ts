// A server that is killed: it starts a container with stubborn programs in it, says so, and waits.
// Run: node docker-server.ts DIRECTORY SOCKET
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, openDocker } from "../../server/sandboxes/module.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { testImage } from "./docker-daemon.ts";

const [directory = "", socket = ""] = process.argv.slice(2);
const settings = { socket, image: testImage };
const provider = await openDocker({
  clock: systemClock,
  random: systemRandom,
  directory,
  settings,
});
await provider.ensure({ sessionId: "survivor", limits: defaultLimits, env: {} });
const usual = { timeoutMs: testTimeoutMs, bytesMax: 1_000 };
const stubborn = 'trap "" 1 2 15; while :; do :; done';
const command = `echo kept >file; sync; setsid nohup bash -c '${stubborn}' & :`;
await provider.exec("survivor", { ...usual, command });
const running = provider.exec("survivor", { ...usual, command: stubborn });
process.stdout.write("ready\n");
await running;
