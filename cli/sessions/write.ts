// What `plinth sessions` changes: what is sent to a session, its title, metadata and budget, its end.
import { isDeepStrictEqual } from "node:util";
import type { Session, SessionsUpdateBody } from "../../contract/types.ts";
import { confirm as askFirst } from "../confirm.ts";
import type { Flags, YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { metadataOf } from "../request-body.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import { confirmationOf, result, type NewEvent } from "./calls.ts";
import type { AnswerFlags, ConfirmFlags, SendFlags, UpdateFlags } from "./options.ts";
import { textOf } from "./run.ts";
import { followTurn } from "./turn.ts";

export async function send(
  terminal: Terminal,
  id: string,
  words: string,
  flags: SendFlags,
): Promise<void> {
  const text = await textOf(terminal, words);
  if (flags.wait !== true) {
    const message: NewEvent = { type: "user.message", content: [{ type: "text", text }] };
    return sendEvent(terminal, id, message, { flags, done: `sent to ${id}` });
  }
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const params = { session_id: id };
  const session = await withServerErrors(client, () => client.sessions.retrieve({ params }));
  await followTurn(terminal, client, { session, text, flags, isAttended: false });
}

export const interrupt = (terminal: Terminal, id: string, flags: Flags): Promise<void> =>
  sendEvent(terminal, id, { type: "user.interrupt" }, { flags, done: `interrupted ${id}` });

export async function confirm(
  terminal: Terminal,
  id: string,
  call: string,
  answer: "allow" | "deny",
  flags: ConfirmFlags,
): Promise<void> {
  if (answer === "allow" && flags.why !== undefined)
    throw new CliError("Only what is denied has a reason: leave --why out.", exitCodes.usage);
  const done = `${answer === "allow" ? "allowed" : "denied"} ${call}`;
  await sendEvent(terminal, id, confirmationOf(call, answer, flags.why), { flags, done });
}

export async function answer(
  terminal: Terminal,
  id: string,
  call: string,
  words: string,
  flags: AnswerFlags,
): Promise<void> {
  const text = words === "-" ? (await terminal.readInput()).trimEnd() : words;
  const done = `answered ${call}`;
  await sendEvent(terminal, id, result(call, text, flags.error), { flags, done });
}

async function sendEvent(
  terminal: Terminal,
  id: string,
  event: NewEvent,
  { flags, done }: { flags: Flags; done: string },
): Promise<void> {
  const input = { params: { session_id: id }, body: { events: [event] } };
  const { data } = await askWithApiKey(terminal, flags, (client) =>
    client.sessions.events.send(input),
  );
  printResult(terminal, flags, data[0], () => `${done}\n`);
}

export async function update(terminal: Terminal, id: string, flags: UpdateFlags): Promise<void> {
  const { title, budget, metadata } = flags;
  const body: SessionsUpdateBody = {
    ...(title !== undefined && { title: title === "" ? null : title }),
    ...(budget !== undefined && { budget: budget === "none" ? null : budget }),
    ...metadataOf({}, metadata, true),
  };
  if (Object.keys(body).length === 0)
    throw new CliError("Say what to change: --title, --budget or --metadata.", exitCodes.usage);
  const params = { session_id: id };
  await askWithApiKey(terminal, flags, async (client) => {
    const before = await client.sessions.retrieve({ params });
    const after = await client.sessions.update({ params, body });
    // Not by the time of the change: what the session does by itself changes that as well.
    const isSame = isDeepStrictEqual(changeable(after), changeable(before));
    printResult(terminal, flags, after, () => `${isSame ? "nothing changed:" : "updated"} ${id}\n`);
  });
}

const changeable = ({ title, budget, metadata }: Session) => ({ title, budget, metadata });

export async function archive(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const consequence = "What runs in it is stopped. It can be read, and takes nothing more.";
  await confirmEnd(terminal, id, flags, { consequence, verb: "Archive", done: "archived" });
  const params = { session_id: id };
  const archived = await askWithApiKey(terminal, flags, (client) =>
    client.sessions.archive({ params }),
  );
  printResult(terminal, flags, archived, () => `archived ${id}\n`);
}

export async function remove(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const consequence = "It goes with all of its events.";
  await confirmEnd(terminal, id, flags, { consequence, verb: "Delete", done: "deleted" });
  const params = { session_id: id };
  const deleted = await askWithApiKey(terminal, flags, (client) =>
    client.sessions.delete({ params }),
  );
  printResult(terminal, flags, deleted, () => `deleted ${id}\n`);
}

async function confirmEnd(
  terminal: Terminal,
  id: string,
  flags: YesFlags,
  { consequence, verb, done }: { consequence: string; verb: string; done: string },
): Promise<void> {
  if (flags.yes === true) return;
  const params = { session_id: id };
  const { title, agent, status } = await askWithApiKey(terminal, flags, (client) =>
    client.sessions.retrieve({ params }),
  );
  const name = escapeControls(title ?? `A session of ${agent.name}`);
  terminal.note(`${name} (${id}), ${status}\n${consequence} That cannot be undone.\n`);
  await askFirst(terminal, `${verb}?`, `Nothing was ${done}.`);
}
