// A request log to look at: rows of all kinds, on two days, written as the server writes them.
import { sql } from "../../kernel/sql/statement.ts";
import type { LoggedRequest } from "../../server/requests/log/queries.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import type { House } from "../house.ts";
import { until } from "../rules/support.ts";

export type Row = Partial<LoggedRequest> & { at: Date };

const hourMs = 3_600_000;

/** Each a message that went well, but for what is said of it; their ids, in the order of the rows. */
export async function addToLog(house: House, rows: readonly Row[]): Promise<string[]> {
  const log = requestLogOf(house.world);
  const { organization_id: organizationId, workspace_id: workspaceId } =
    house.organizations.platform;
  const made = rows.map((row, place): LoggedRequest => ({
    id: idAt(row.at, place),
    organizationId,
    workspaceId,
    credentialId: "apikey_1",
    userId: null,
    origin: "api",
    operation: "messages.create",
    method: "POST",
    path: "/v1/messages",
    status: 200,
    errorType: null,
    error: null,
    modelAsked: "sim-large",
    modelServed: "sim-large",
    upstream: "simulator",
    stopReason: "end_turn",
    fellBack: false,
    inputTokens: 812,
    outputTokens: 164,
    cacheWriteTokens: 0,
    cacheReadTokens: 0,
    amountNano: 4_896_000,
    askedMs: 6,
    firstMs: 340,
    ms: 1_250,
    attempts: null,
    sessionId: null,
    batchId: null,
    ...row,
  }));
  for (const row of made) log.add(row);
  await log.flush();
  const ids = made.map(({ id }) => id);
  // The log writes by itself, too: what it has begun to write is awaited.
  await until(async () => {
    const [found] = await house.world.db.query<{ count: number }>(
      sql`select count(*) from requests where id = any(${ids})`,
    );
    return Number(found?.count) === ids.length;
  }, "rows in the log");
  return ids;
}

const letters = "0123456789abcdefghjkmnpqrstvwxyz";
let count = 0;

/** As the server makes them: ten letters of time, and others that no other row has. */
function idAt(at: Date, place: number): string {
  let time = "";
  for (let shift = 9, ms = at.getTime(); shift >= 0; shift--)
    time += letters[Math.floor(ms / 32 ** shift) % 32];
  count += 1;
  return `req_${time}${String(place).padStart(8, "0")}${String(count).padStart(8, "0")}`;
}

const attempt = {
  upstream: "simulator",
  is_guard: false,
  why: null,
  input_tokens: 812,
  output_tokens: 0,
  cache_write_tokens: 0,
  cache_read_tokens: 0,
  amount_nano: 0,
};

const fellBackAttempts = [
  {
    ...attempt,
    model: "sim-small",
    is_guard: true,
    outcome: "served",
    start_ms: 5,
    first_ms: null,
    end_ms: 240,
  },
  {
    ...attempt,
    model: "sim-large",
    outcome: "declined",
    why: "cyber",
    start_ms: 250,
    first_ms: 900,
    end_ms: 1_300,
  },
  {
    ...attempt,
    model: "sim-medium",
    upstream: "a-second-upstream",
    outcome: "served",
    start_ms: 1_310,
    first_ms: 2_100,
    end_ms: 3_200,
    output_tokens: 164,
    amount_nano: 4_896_000,
  },
];

const failedAttempts = [
  {
    ...attempt,
    model: "sim-large",
    outcome: "failed",
    why: "overloaded_error",
    start_ms: 8,
    first_ms: null,
    end_ms: 405,
  },
];

/** What an operator may meet, the newest first. */
export async function furnishLog(house: House) {
  const { platform } = house.organizations;
  const keyId = await keyOf(house);
  const nowMs = Date.now();
  const at = (hours: number) => new Date(nowMs - hours * hourMs);
  const me = await house.ask("GET", "/console/api/me", { cookie: platform.cookie });
  const sign = { credentialId: "signin_1", userId: String(me.body.user.id) };
  const [
    message = "",
    fellBack = "",
    failed = "",
    refused = "",
    item = "",
    turn = "",
    change = "",
    admin = "",
    yesterday = "",
  ] = await addToLog(house, [
    { at: at(0.01), credentialId: keyId, cacheReadTokens: 12_400, cacheWriteTokens: 300 },
    {
      at: at(0.02),
      credentialId: keyId,
      modelServed: "sim-medium",
      fellBack: true,
      ms: 3_200,
      firstMs: 2_100,
      attempts: JSON.stringify(fellBackAttempts),
    },
    {
      at: at(0.03),
      credentialId: keyId,
      status: 529,
      errorType: "overloaded_error",
      error: "The upstream anthropic is overloaded; it asks to wait for 4 seconds.",
      modelServed: null,
      stopReason: null,
      firstMs: null,
      outputTokens: 0,
      amountNano: 0,
      ms: 410,
      attempts: JSON.stringify(failedAttempts),
    },
    { at: at(0.04), credentialId: keyId, stopReason: "refusal", outputTokens: 12 },
    {
      at: at(0.05),
      credentialId: keyId,
      origin: "batch",
      operation: "batches.item",
      method: null,
      path: null,
      batchId: "msgbatch_1",
      firstMs: null,
      ms: 65_400,
      amountNano: 250_000_000,
    },
    {
      at: at(0.06),
      ...sign,
      origin: "session",
      operation: "sessions.turn",
      method: null,
      path: null,
      sessionId: "sesn_1",
      ms: 14_300,
    },
    {
      at: at(0.07),
      ...sign,
      ...noModel,
      workspaceId: null,
      origin: "console",
      operation: "console.workspaces.create",
      path: "/console/api/workspaces",
    },
    {
      at: at(0.08),
      ...noModel,
      credentialId: "apikey_gone",
      workspaceId: null,
      operation: "members.list",
      method: "GET",
      path: "/v1/organizations/members",
      status: 403,
      errorType: "permission_error",
      error: "members.list: the key has no scope read:members.",
    },
    { at: at(30), credentialId: keyId, modelAsked: "sim-small", modelServed: "sim-small" },
  ]);
  const owner = sign.userId;
  return { message, fellBack, failed, refused, item, turn, change, admin, yesterday, keyId, owner };
}

export const noModel = {
  modelAsked: null,
  modelServed: null,
  upstream: null,
  stopReason: null,
  inputTokens: null,
  outputTokens: null,
  cacheWriteTokens: null,
  cacheReadTokens: null,
  amountNano: null,
  askedMs: null,
  firstMs: null,
  ms: 9,
} as const;

/** A key with a name. */
async function keyOf(house: House): Promise<string> {
  const { cookie } = house.organizations.platform;
  const body = { name: "Search backend", kind: "api" };
  const made = await house.ask("POST", "/console/api/keys", { cookie, body });
  return String(made.body.id);
}
