// What must hold of the sandboxes of sessions after any faults: one process in each, and no call that ran twice.
import assert from "node:assert/strict";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { FakeMachine } from "../rules/fake-sandboxes.ts";

/** Answers how many calls ran. */
export async function checkSandboxes(
  observer: Queryable,
  { faults, calls }: Pick<FakeMachine, "faults" | "calls">,
): Promise<number> {
  assert.deepEqual(faults, []);
  // The model may make the same call again where its answer was lost; then none of the first had begun.
  const started = await observer.query<{ command: string; count: number }>(sql`
    select data->'input'->>'command' as command, count(distinct id)::int as count
    from log_events where type = 'agent.tool_use' and id in (
      select data->>'tool_use_id' from log_events where type = 'internal.tool_started')
    group by 1`);
  const left = new Map(started.map(({ command, count }) => [command, count]));
  for (const { command } of calls) left.set(command, (left.get(command) ?? 0) - 1);
  const twice = [...left].filter(([, count]) => count < 0).map(([command]) => command);
  assert.deepEqual(twice, [], "each ran once at most, and only what the log says to have begun");
  return calls.length;
}
