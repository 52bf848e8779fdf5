// A server that is killed: it starts a sandbox with programs in it, says so, and waits.
// Run: node server.ts DIRECTORY WORD [layer]
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, openLinux } from "../../server/sandboxes/module.ts";
import { testTimeoutMs } from "../test-timeout.ts";

const [directory = "", word = "", kind = ""] = process.argv.slice(2);
const provider = await openLinux({ clock: systemClock, random: systemRandom, directory });
const isLayer = kind === "layer";
const sessionId = isLayer ? provider.layers.newSandboxId() : "survivor";
const folders = isLayer ? [{ path: "/mnt/tools", kind: "writable" as const }] : [];
await provider.ensure({ sessionId, limits: defaultLimits, env: {}, folders });
const limits = { timeoutMs: testTimeoutMs, bytesMax: 1_000 };
const stubborn = `trap "" 1 2 15; exec -a ${word} sleep 100000`;
await provider.exec(sessionId, {
  ...limits,
  command: `echo kept >file; sync; setsid nohup bash -c '${stubborn}' & :`,
});
const running = provider.exec(sessionId, { ...limits, command: `bash -c '${stubborn}'` });
process.stdout.write("ready\n");
await running;
