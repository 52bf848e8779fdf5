// `plinth worker`: does the work of a self-hosted environment on this machine, until it is told to stop.
import { hostname, homedir } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../../kernel/base/clock.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { makeTeller, runWorker, workerLimits } from "../environment_worker/module.ts";
import { sandboxProviders } from "../sandboxes/module.ts";
import { networkOf } from "./networking.ts";
import { loadServerSettings, type Flags } from "./settings.ts";

/** What it uses of the terminal that it was started in. */
interface WorkerTerminal {
  env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  note(text: string): void;
}

export async function worker(flags: Flags, terminal: WorkerTerminal): Promise<void> {
  const { env } = terminal;
  const environmentId = String(flags["environment"]);
  const environmentKey = env["PLINTH_ENVIRONMENT_KEY"] ?? "";
  if (environmentKey === "")
    throw new ExitError(
      `Set PLINTH_ENVIRONMENT_KEY to a key of the environment first: plinth environments keys create ${environmentId}`,
      3,
    );
  const stop = listenForSignals();
  try {
    await runWorker({
      clock: systemClock,
      random: systemRandom,
      baseUrl: textOf(flags["url"], env["PLINTH_BASE_URL"], "http://127.0.0.1:8787").replace(
        /\/+$/,
        "",
      ),
      environmentId,
      environmentKey,
      workerId: textOf(flags["name"], `${hostname()}-${process.pid}`),
      directory: resolve(textOf(flags["directory"], join(homedir(), ".plinth-worker"))),
      sections: sectionsOf(flags),
      sessionsMax: wholeOf(flags, "sessions", workerLimits.sessionsMax),
      graceMs: wholeOf(flags, "grace", workerLimits.graceSecondsMax) * 1000,
      keepMs: wholeOf(flags, "keep", workerLimits.keepDaysMax) * workerLimits.dayMs,
      network: networkOf(flags),
      tell: makeTeller(terminal, { isJson: flags["json"] === true, clock: systemClock }),
      leaving: stop.leaving,
      ending: stop.ending,
    });
  } finally {
    stop.release();
  }
  if (stop.ending.aborted) throw new ExitError("Ended at once.", 130);
}

/** The first one lets what runs end; the second one does not. */
function listenForSignals() {
  const [leaving, ending] = [new AbortController(), new AbortController()];
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const heard = () => (leaving.signal.aborted ? ending : leaving).abort();
  for (const name of names) process.on(name, heard);
  return {
    leaving: leaving.signal,
    ending: ending.signal,
    release: () => {
      for (const name of names) process.off(name, heard);
    },
  };
}

/** What one sandbox may use stands in the settings file, as it does for a server. */
function sectionsOf(flags: Flags): Readonly<Record<string, unknown>> {
  const { sections } = loadServerSettings({ config: flags["config"] });
  const provider = flags["provider"];
  if (provider === undefined) return sections;
  if (!(sandboxProviders as readonly unknown[]).includes(provider))
    throw new ExitError(
      `--provider: ${JSON.stringify(provider)} is none of ${sandboxProviders.join(", ")}.`,
      2,
    );
  return { ...sections, sandbox: { ...(sections["sandbox"] as object), provider } };
}

const textOf = (...values: readonly [...unknown[], string]): string =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? "";

function wholeOf(flags: Flags, name: string, most: number): number {
  const number = Number(flags[name]);
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
  throw new ExitError(`--${name}: must be a whole number from 1 to ${most}.`, 2);
}
