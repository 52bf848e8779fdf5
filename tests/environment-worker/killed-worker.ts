// A worker in a process of its own, which is killed.
// Run: node killed-worker.ts URL ENVIRONMENT KEY DIRECTORY
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { runWorker } from "../../server/environment_worker/module.ts";

const [baseUrl = "", environmentId = "", environmentKey = "", directory = ""] =
  process.argv.slice(2);
const never = new AbortController().signal;
await runWorker({
  clock: systemClock,
  random: systemRandom,
  baseUrl,
  environmentId,
  environmentKey,
  directory,
  workerId: "killed",
  sections: {},
  sessionsMax: 1,
  graceMs: 1_000,
  network: { type: "unrestricted" },
  keepMs: 86_400_000,
  tell: () => {},
  leaving: never,
  ending: never,
});
