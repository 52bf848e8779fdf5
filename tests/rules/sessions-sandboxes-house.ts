// What the tests of cloud sessions share: a server whose sandboxes are played, sessions in it, and what calls came to.
import { sql } from "../../kernel/sql/statement.ts";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import type { Ask, HouseOptions } from "../house.ts";
import { makeFakeMachine, type FakeMachine } from "./fake-sandboxes.ts";
import { computer, ofType, openSessionHouse, type SessionEvent } from "./sessions-house.ts";
import { until } from "./support.ts";

export type CloudHouse = Awaited<ReturnType<typeof openCloudHouse>>;

/** `sandbox` is what the settings file says of them. */
export async function openCloudHouse({
  sandbox = {},
  ...options
}: HouseOptions & { sandbox?: object } = {}) {
  const it = await openSessionHouse({ ...options, sections: { ...options.sections, sandbox } });
  const { house } = it;
  const machine = makeFakeMachine();
  sandboxesPart.of(house.world).use(machine.open("first"));
  const cloud = async (agent: object = {}, more: object = {}, asking: Ask = {}) =>
    (
      await it.begin(
        {
          agent: (await it.agent({ tools: [computer()], ...agent }, asking)).id,
          environment_id: (await it.environment("cloud", asking)).id,
          ...more,
        },
        asking,
      )
    ).id;
  return {
    ...it,
    machine,
    sandboxes: sandboxesPart.of(house.world),
    cloud,
    /** Another process of the same machine. */
    second: async () => {
      const other = await house.openSecondServer();
      sandboxesPart.of(other.world).use(machine.open("second"));
      return other;
    },
    began: (command: string) =>
      until(async () => hasBegun(machine, command), `${command} to begin`),
    /** Whose the session's sandbox is, and where its workspace lies. */
    placeOf: async (id: string) => {
      const [row] = await house.world.db.query<{ hostId: string; owner: string | null }>(sql`
        select host_id as "hostId", lease_owner as owner from session_sandboxes
        where session_id = ${id}`);
      return row;
    },
  };
}

export const hasBegun = ({ calls }: FakeMachine, command: string): boolean =>
  calls.some((call) => call.command === command);

const callOf = (command: string) => `bash ${JSON.stringify({ command })}`;
/** What makes the model call `bash` with these, all in one answer. */
export const shell = (...commands: readonly string[]) =>
  `[[tools ${commands.map(callOf).join(" | ")}]]`;

export const commandsOf = ({ calls }: FakeMachine, sessionId: string): string[] =>
  calls.filter((call) => call.sessionId === sessionId).map(({ command }) => command);

/** What calls came to, in the order of the events. */
export const resultsOf = (events: readonly SessionEvent[]): string[] =>
  ofType(events, "agent.tool_result").map(
    ({ content, is_error: isError }) =>
      `${isError === true ? "error: " : ""}${(content as { text: string }[])[0]?.text ?? ""}`,
  );

/** What the first line in a new shell comes to, where the agent has had another one. */
export const inNewShell = (text: string): string =>
  `${text}\n[The shell of the call before has ended: this is a new one, in /workspace, without its variables.]`;

export const callsIn = (events: readonly SessionEvent[]): string[] =>
  ofType(events, "agent.tool_use").map(({ id }) => id);
