// Keys, people, a workspace and a model that were busy, and others that nothing ever used: for their pages.
import { sql } from "../../kernel/sql/statement.ts";
import type { House } from "../house.ts";
import { addSignedIn } from "../rules/members-house.ts";
import { writeAttempts, type AttemptRow } from "../rules/reports-house.ts";
import { addToLog, noModel } from "./requests.ts";

const dayMs = 86_400_000;
const counts = { input: 900, output: 300, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };

export async function furnishObjects(house: House) {
  const { platform: tenant } = house.organizations;
  const { cookie, workspace_id: workspace } = tenant;
  const ask = async (path: string, body: object) => {
    const made = await house.ask("POST", `/console/api/${path}`, { cookie, body });
    if (made.status !== 200) throw new Error(JSON.stringify(made.body));
    return String(made.body.id);
  };
  const key = (name: string) => ask("keys", { name, kind: "api" });
  const [busy, fresh, idle, archived] = [
    await key("Search backend"),
    await key("Made just now"),
    await key("Old laptop"),
    await key("Archived one"),
  ];
  await ask(`keys/${archived}`, { status: "archived" });
  const nowMs = Date.now();
  await setTimes(house, busy, { days: 90, used: 0 });
  await setTimes(house, idle, { days: 200, used: 43 });
  const [person, gone] = [
    await addSignedIn(house, tenant, "developer"),
    await addSignedIn(house, tenant, "user"),
  ];
  await house.ask("DELETE", `/console/api/organization_members/${gone.id}`, { cookie });
  const empty = await ask("workspaces", { name: "Empty" });
  await spend(house, busy, person.id, nowMs);
  const at = (minutes: number) => new Date(nowMs - minutes * 60_000);
  const failed = {
    status: 529,
    errorType: "overloaded_error",
    error: "The upstream is overloaded.",
    modelServed: null,
  };
  const [last = ""] = await addToLog(house, [
    { at: at(1), credentialId: busy },
    { at: at(2), credentialId: busy, ...failed },
    ...Array.from({ length: 12 }, (_, place) => ({ at: at(3 + place), credentialId: busy })),
    {
      at: at(20),
      ...noModel,
      credentialId: "signin_1",
      userId: person.id,
      origin: "console",
      operation: "console.keys.create",
      path: "/console/api/keys",
      workspaceId: null,
    },
  ]);
  return { busy, fresh, idle, archived, person, gone: gone.id, workspace, empty, last };
}

/** When a key was made, and used last. */
const setTimes = async (house: House, id: string, { days, used }: { days: number; used: number }) =>
  house.world.db.query(sql`
    update keys set created_at = now() - make_interval(days => ${days}),
      last_used_at = now() - make_interval(days => ${used}, secs => 60)
    where id = ${id}`);

/** On each of 60 days: 3 dollars of one model and 1 of another, of the earlier 30 half of that. */
async function spend(house: House, key: string, person: string, nowMs: number): Promise<void> {
  const { platform: tenant } = house.organizations;
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const rows: AttemptRow[] = [];
  for (let day = 0; day < 60; day++)
    for (const [model, nano] of [
      ["sim-large", 3e9],
      ["sim-small", 1e9],
    ] as const)
      rows.push({
        tenant,
        at: new Date(today - day * dayMs),
        hop: { model, credentialId: key, keyMakerId: person },
        settlement: { counts, amountNano: day < 30 ? nano : nano / 2 },
      });
  await writeAttempts(house, rows);
}
