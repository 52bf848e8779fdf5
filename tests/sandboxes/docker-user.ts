// Sandboxes of the provider `docker` as an ordinary user has them who may use the daemon; says what came of it as JSON.
// Run: node docker-user.ts DIRECTORY SOCKET
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
const network = { connect: () => {}, endAll: () => {} };
const spec = { sessionId: "one", limits: defaultLimits, env: {} };
const refusal = await provider.ensure({ ...spec, network }).catch(String);
await provider.ensure(spec);
const { output } = await provider.exec("one", {
  command: "id -u; mkdir a; echo x >a/b; chmod 0 a; echo /sys/class/net/*",
  timeoutMs: testTimeoutMs,
  bytesMax: 1_000,
});
await provider.destroy("one");
const { guarantees, reason } = await provider.probe();
const said = {
  refusal,
  reason,
  guarantees,
  output: output.toString(),
  left: await provider.list(),
};
process.stdout.write(`${JSON.stringify(said)}\n`);
await provider.close();
