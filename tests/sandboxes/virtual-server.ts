// A server that is killed while its virtual sandbox is busy with a loop that hears nothing.
// Run: node virtual-server.ts DIRECTORY
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, openVirtual } from "../../server/sandboxes/module.ts";
import { testTimeoutMs } from "../test-timeout.ts";

const [directory = ""] = process.argv.slice(2);
const provider = await openVirtual({ clock: systemClock, random: systemRandom, directory });
await provider.ensure({ sessionId: "busy", limits: defaultLimits, env: {} });
const limits = { timeoutMs: 100 * testTimeoutMs, bytesMax: 1_000 };
await provider.exec("busy", { ...limits, command: "true" });
const running = provider.exec("busy", { ...limits, command: "while :; do :; done" });
process.stdout.write("ready\n");
await running;
