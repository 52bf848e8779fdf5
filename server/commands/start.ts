// `plinth start`: serves until it is told to stop, then drains.
import { serveAlone } from "../serve.ts";
import { serveWithWorkers } from "../workers.ts";
import { loggerOf, serveOptionsOf, settingsOf, withUpstream, type Flags } from "./settings.ts";

export async function start(flags: Flags): Promise<void> {
  // Before anything is opened: whoever reads the banner may send a signal before our next line runs.
  const signalled = heardSignal();
  const settings = settingsOf(flags);
  const logger = loggerOf(settings);
  const options = serveOptionsOf(await withUpstream(settings, logger), logger);
  const { banner, stop, failed } =
    options.workers === 1 ? await serveAlone(options) : await serveWithWorkers(options);
  process.stdout.write(`${banner.join("\n")}\n`);
  try {
    await Promise.race([signalled, failed]);
  } finally {
    await stop();
  }
  // Nothing is left to do; a forgotten timer must not keep a drained server alive.
  process.exit(0);
}

/** Once is enough: the second one, of an impatient hand or supervisor, must not cut what the drain waits for. */
const heardSignal = () =>
  new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => resolve());
  });
