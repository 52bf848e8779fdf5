// `plinth sessions list`, `show` and `events`.
import type { Client, StreamEvent } from "../../contract/client.ts";
import type { Session, SessionsEventsListQuery } from "../../contract/types.ts";
import { nameAndId, namesOf, type Names } from "../names.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey, printPage } from "../workspace-calls.ts";
import { findAgent } from "./find.ts";
import { followEvents } from "./follow.ts";
import { budgetOf, costOf, inputTokensOf, oneLine, textOf, words } from "./format.ts";
import type { EventFlags, SessionListFlags } from "./options.ts";
import { lineOf } from "./print-events.ts";

export async function list(terminal: Terminal, flags: SessionListFlags): Promise<void> {
  const { limit, page: cursor, archived = false, agent, status } = flags;
  const page = await askWithApiKey(terminal, flags, async (client) => {
    const id = agent === undefined ? undefined : await findAgent(client, agent, "also_archived");
    const query = {
      limit,
      page: cursor,
      // Unless it is said, what is terminated is listed where --status names it.
      ...(archived && { include_archived: true }),
      agent_id: id,
      statuses: status,
    };
    return client.sessions.list({ query });
  });
  printPage(terminal, flags, page, {
    titles: ["ID", "TITLE", "AGENT", "STATUS", "COST", "CREATED", "ARCHIVED"],
    row: (session) => [
      session.id,
      titleOf(session),
      oneLine(escapeControls(session.agent.name)),
      session.status,
      costOf(session),
      formatDate(session.created_at),
      formatDate(session.archived_at),
    ],
    none: "There are no sessions here.",
  });
}

const titleOf = ({ title }: Session) => oneLine(escapeControls(title ?? "-"));

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { session_id: id };
  const { found, names } = await askWithApiKey(terminal, flags, async (client) => {
    const found = await client.sessions.retrieve({ params });
    const { environment_id: environment, vault_ids: vaults } = found;
    const shown = flags.json === true ? [] : [environment, ...vaults];
    return { found, names: await namesOf(client, shown) };
  });
  printResult(terminal, flags, found, () => sessionDetails(found, names));
}

function sessionDetails(session: Session, names: Names): string {
  const { agent, usage, stats, metadata } = session;
  const facts: [string, string][] = [
    ["id", session.id],
    ["title", titleOf(session)],
    ["status", session.status],
    ["agent", `${agent.name} (${agent.id}, version ${agent.version})`],
    ["environment", nameAndId(names, session.environment_id)],
    ...session.resources.map((resource): [string, string] => ["has", resourceText(resource)]),
    ...session.vault_ids.map((id): [string, string] => ["vault", nameAndId(names, id)]),
    ...session.outcome_evaluations.map((outcome): [string, string] => [
      "outcome",
      `${outcome.result}: ${outcome.description}`,
    ]),
    ...Object.entries(metadata).map((pair): [string, string] => ["metadata", pair.join("=")]),
    ["tokens in", inputTokensOf(session).toLocaleString("en")],
    ["tokens out", usage.output_tokens.toLocaleString("en")],
    ["cost", costOf(session)],
    ["budget", budgetOf(session)],
    ["active", `${Math.round(stats.active_seconds)} s`],
    ["created", session.created_at],
    ["changed", session.updated_at],
    ...(session.archived_at === null
      ? []
      : [["archived", session.archived_at] as [string, string]]),
  ];
  return detailsTable(facts.map(([name, value]) => [name, oneLine(escapeControls(value))]));
}

function resourceText(resource: Session["resources"][number]): string {
  if (resource.type === "memory_store")
    return `${resource.memory_store_id} (${resource.access}) at ${resource.mount_path}`;
  const what = resource.type === "file" ? resource.file_id : resource.url;
  return `${what} at ${resource.mount_path}`;
}

export async function events(terminal: Terminal, id: string, flags: EventFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { types, since } = flags;
  // The server checks the names of types, and the time.
  const history = {
    ...(types !== undefined && { types }),
    ...(since !== undefined && { created_at: { gte: since } }),
  } as SessionsEventsListQuery;
  const print = (event: StreamEvent) =>
    terminal.write(flags.json === true ? `${JSON.stringify(event)}\n` : eventText(event));
  await withServerErrors(client, () =>
    flags.follow === true
      ? follow(terminal, client, id, { history, print })
      : printAll(client, id, { history, print }),
  );
}

interface Printing {
  history: SessionsEventsListQuery;
  print: (event: StreamEvent) => void;
}

async function printAll(client: Client, id: string, { history, print }: Printing): Promise<void> {
  const params = { session_id: id };
  const query = { limit: 1_000, ...history };
  for await (const event of client.pages(client.sessions.events.list, { params, query }))
    print(event);
}

async function follow(
  terminal: Terminal,
  client: Client,
  sessionId: string,
  { history, print }: Printing,
): Promise<void> {
  const leaving = new AbortController();
  const release = terminal.onInterrupt(() => leaving.abort());
  const { signal } = leaving;
  const wanted: readonly string[] | undefined = history.types;
  try {
    const told = await followEvents(terminal, client, { sessionId, history, signal });
    for await (const event of told) {
      if (wanted?.includes(event.type) ?? true) print(event);
      if (event.type === "session.status_terminated") return;
    }
  } catch (error) {
    if (signal.aborted) throw new CliError("Stopped.", exitCodes.interrupted);
    throw error;
  } finally {
    release();
  }
}

function eventText(event: StreamEvent): string {
  const { id, type, processed_at: at, content } = event;
  const text = lineOf(event) ?? oneLine(textOf(content));
  const time = words(at).slice(0, 19).padEnd(19);
  return `${[words(id), time, type, escapeControls(text)].join("  ").trimEnd()}\n`;
}
