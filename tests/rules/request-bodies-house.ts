// What the tests of kept bodies share: a switch, a message, and a look at what was kept.
import assert from "node:assert/strict";
import { sql } from "../../kernel/sql/statement.ts";
import { bodyKeeperOf } from "../../server/request_bodies/module.ts";
import type { RequestBody, Settings, UpdateSettings } from "../../server/request_bodies/schema.ts";
import type { Answer, House, Tenant } from "../house.ts";
import { requestIdOf } from "./requests-house.ts";
import { until } from "./support.ts";

export function bodiesOf(houseOf: () => House) {
  const tenantOf = (tenant?: Tenant) => tenant ?? houseOf().organizations.platform;
  const defaultWorkspace = async (tenant?: Tenant): Promise<string> => {
    const [row] = await houseOf().world.db.query<{ id: string }>(sql`
      select id from workspaces
      where organization_id = ${tenantOf(tenant).organization_id} and is_default`);
    return row?.id ?? assert.fail("there is a default workspace");
  };
  const settingsPath = (id: string) => `/v1/organizations/workspaces/${id}/request_bodies`;
  /** Asks what a workspace keeps, in words of the API. */
  const settings = async (method: string, body?: unknown, tenant?: Tenant): Promise<Answer> =>
    houseOf().ask(method, settingsPath(await defaultWorkspace(tenant)), {
      key: tenantOf(tenant).admin_api_key,
      ...(body !== undefined && { body }),
    });
  const flush = () => bodyKeeperOf(houseOf().world).flush();
  const look = (id: string, tenant?: Tenant): Promise<Answer> =>
    houseOf().ask("GET", `/v1/organizations/requests/${id}/body`, {
      key: tenantOf(tenant).admin_api_key,
    });
  return {
    defaultWorkspace,
    settings,
    flush,
    look,
    /** Nothing that was set before holds any more. */
    set: async (change: UpdateSettings): Promise<Settings> => {
      const usual = { enabled: true, max_bytes: 65_536, kept_days: 7, redact: [] };
      const { status, body } = await settings("POST", { ...usual, ...change });
      assert.equal(status, 200, JSON.stringify(body));
      return body as Settings;
    },
    message: (content: unknown, fields: object = {}, headers: Record<string, string> = {}) =>
      houseOf().ask("POST", "/v1/messages", {
        key: tenantOf().api_key,
        headers,
        body: {
          model: "sim-large",
          max_tokens: 200,
          messages: [{ role: "user", content }],
          ...fields,
        },
      }),
    /** What was kept of it, once it has been written. */
    kept: async (answer: Pick<Answer, "headers"> | string): Promise<RequestBody> => {
      const id = typeof answer === "string" ? answer : requestIdOf(answer);
      return until(async () => {
        await flush();
        const { status, body } = await look(id);
        return status === 200 && (body as RequestBody);
      }, `the body of ${id}`);
    },
    rows: async (): Promise<number> => {
      const [row] = await houseOf().world.db.query<{ rows: number }>(
        sql`select count(*)::int as rows from request_bodies`,
      );
      return row?.rows ?? 0;
    },
  };
}

// The tests read requests and answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
export const valueOf = (part: RequestBody["request"]): any =>
  JSON.parse(part?.text ?? assert.fail("nothing was kept of it"));
