// `plinth start`: serves until it is told to stop, then drains.
import { systemClock } from "../../kernel/base/clock.ts";
import { serveSingleProcess } from "../serve.ts";
import { serveWithWorkers } from "../workers.ts";
import {
  loggerOf,
  serveOptionsOf,
  loadServerSettings,
  withUpstream,
  type Flags,
} from "./settings.ts";

export async function start(flags: Flags): Promise<void> {
  const settings = loadServerSettings(flags);
  // Before anything is opened: a supervisor that reads the banner may send a signal before our next line runs.
  const signals = listenForSignals();
  const logger = loggerOf(settings);
  const options = {
    ...serveOptionsOf(await withUpstream(settings, logger), logger),
    adoptBlobs: flags["adoptBlobs"] === true,
  };
  const {
    banner,
    enterLameDuck: leave,
    stop,
    failed,
  } = options.workers === 1 ? await serveSingleProcess(options) : await serveWithWorkers(options);
  process.stdout.write(`${banner.join("\n")}\n`);
  try {
    const first = await Promise.race([signals.first, failed]);
    const { lameDuckSeconds: seconds } = settings;
    if (first === "SIGTERM" && seconds > 0) {
      logger.info({ seconds }, "not ready any more: answers close their connections");
      leave();
      await Promise.race([signals.second, failed, systemClock.sleep(seconds * 1000)]);
    }
  } finally {
    await stop();
  }
  // Nothing is left to do; a forgotten timer must not keep a drained server alive.
  process.exit(0);
}

/** The second one, of an impatient hand or supervisor, ends the lame-duck phase, not what the drain waits for. */
function listenForSignals() {
  const [first, second] = [0, 1].map(() => Promise.withResolvers<NodeJS.Signals>());
  let signals = 0;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => (signals++ === 0 ? first : second)?.resolve(signal));
  return { first: first?.promise, second: second?.promise };
}
