// `plinth environments check` and `work …`: whether workers are there, and what waits for them.
import { plural } from "../../client/text/words.ts";
import type { Work } from "../../contract/types.ts";
import type { Flags } from "../options.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey, askWithKey, printPage, type PageFlags } from "../workspace-calls.ts";
import { keyOf } from "../server-calls.ts";
import type { CheckFlags, StopFlags } from "./options.ts";

const lookEveryMs = 500;

/** Waits until a worker has given the check back, or the time is over. */
export async function check(terminal: Terminal, id: string, flags: CheckFlags): Promise<void> {
  const params = { environment_id: id };
  const asked = await askWithApiKey(terminal, flags, (client) =>
    client.environments.check({ params }),
  );
  const read = () =>
    askWithApiKey(terminal, flags, (client) =>
      client.environments.work.retrieve({ params: { ...params, work_id: asked.id } }),
    );
  let work = asked;
  for (let ms = 0; work.state !== "stopped" && ms < flags.wait * 1_000; ms += lookEveryMs) {
    await terminal.clock.sleep(lookEveryMs);
    work = await read();
  }
  if (work.state !== "stopped" || work.acknowledged_at === null)
    throw new CliError(
      `No worker has answered the check ${asked.id} within ${plural(flags.wait, "second")}: it is ${work.state}. It waits for the next worker; see plinth environments work stats ${id}.`,
    );
  printResult(terminal, flags, work, () => `a worker answered ${asked.id}\n`);
}

export async function listWork(terminal: Terminal, id: string, flags: PageFlags): Promise<void> {
  if (keyOf(terminal, keyNames) === undefined)
    throw new CliError(
      `Set ${keyNames[0]} to a key of the environment first: plinth environments keys create ${id}.`,
      exitCodes.credential,
    );
  const { limit, page: cursor } = flags;
  const input = { params: { environment_id: id }, query: { limit, page: cursor } };
  const page = await askWithKey(terminal, flags, keyNames, (client) =>
    client.environments.work.list(input),
  );
  printPage(terminal, flags, page, {
    titles: ["ID", "STATE", "FOR", "CREATED", "TAKEN", "HEARTBEAT", "STOPPED"],
    row: (work) => [
      work.id,
      work.state,
      subjectOf(work),
      formatDate(work.created_at),
      formatDate(work.acknowledged_at),
      formatDate(work.latest_heartbeat_at),
      formatDate(work.stopped_at),
    ],
    none: "The environment has no work.",
  });
}

/** The list is the workers': the API does not show it to other keys. */
const keyNames = ["PLINTH_ENVIRONMENT_KEY"] as const;

const subjectOf = ({ data }: Work) => (data.type === "session" ? data.id : "a check");

export async function stats(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { environment_id: id };
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.environments.work.stats({ params }),
  );
  printResult(terminal, flags, found, () =>
    detailsTable([
      ["waiting", String(found.depth)],
      ["handed out", String(found.pending)],
      ["oldest", found.oldest_queued_at ?? "-"],
      ["workers polling", String(found.workers_polling ?? "-")],
    ]),
  );
}

export async function stop(
  terminal: Terminal,
  id: string,
  workId: string,
  flags: StopFlags,
): Promise<void> {
  const params = { environment_id: id, work_id: workId };
  const stopped = await askWithApiKey(terminal, flags, (client) =>
    client.environments.work.stop({ params, body: { force: flags.force === true } }),
  );
  printResult(terminal, flags, stopped, () => `${workId} is ${stopped.state}\n`);
}
