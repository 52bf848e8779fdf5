// What the tests of webhooks share: a receiver, endpoints that lead to it, and what became of deliveries.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "../../kernel/sql/statement.ts";
import type { Answer, House } from "../house.ts";
import { until } from "./support.ts";

export const beta = { "vendor-beta": "webhooks-2026-10-07" };
export const failed = "external_key.failed";
export const recovered = "external_key.recovered";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers 200 until it is told otherwise. */
export async function openReceiver() {
  const received: Received[] = [];
  let answer = (response: ServerResponse): unknown => response.writeHead(200).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ path: request.url ?? "", headers: request.headers, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers: (how: number | ((response: ServerResponse) => unknown)) => {
      answer = typeof how === "number" ? (response) => response.writeHead(how).end() : how;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

export interface Made {
  id: string;
  signing_secret: string;
  [field: string]: unknown;
}
export interface Delivery {
  id: string;
  event_id: string;
  state: string;
  attempts: number;
  attempted_at: string | null;
  next_attempt_at: string | null;
  status_code: number | null;
  error: string | null;
  event_type: string;
  is_test: boolean;
}

type Caller = { cookie: string; api_key?: string };

const base = "/v1/organizations/webhooks";

/** Of the organization, or of the workspace that the key is of. */
export function webhooksOf(
  houseOf: () => House,
  whose: "organization" | "workspace" = "organization",
) {
  const isOrganizations = whose === "organization";
  const who = ({ cookie, api_key: key }: Caller) =>
    isOrganizations || key === undefined ? { cookie } : { key };
  const call = (tenant: Caller, method: string, path = "", body?: unknown): Promise<Answer> =>
    houseOf().ask(
      method,
      (isOrganizations ? base : "/v1/webhooks") + path,
      isOrganizations ? { ...who(tenant), headers: beta, body } : { ...who(tenant), body },
    );
  const below = isOrganizations ? "/console/api/webhooks" : "/v1/webhooks";
  const make = async (tenant: Caller, url: string, more: object = {}): Promise<Made> => {
    const { status, body } = await call(tenant, "POST", "", {
      url,
      enabled_events: [isOrganizations ? failed : "session.created"],
      ...more,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body as Made;
  };
  const sendTest = (tenant: Caller, id: string, body: object = {}): Promise<Answer> =>
    houseOf().ask("POST", `${below}/${id}/test`, { ...who(tenant), body });
  const replay = (tenant: Caller, id: string, delivery: string): Promise<Answer> =>
    houseOf().ask("POST", `${below}/${id}/deliveries/${delivery}/replay`, who(tenant));
  const deliveries = async (tenant: Caller, id: string): Promise<Delivery[]> => {
    const path = `${below}/${id}/deliveries`;
    const { status, body } = await houseOf().ask("GET", path, who(tenant));
    assert.equal(status, 200, JSON.stringify(body));
    return body.data as Delivery[];
  };
  const settled = (tenant: Caller, id: string, attempts: number): Promise<Delivery> =>
    until(
      async () => (await deliveries(tenant, id)).find((each) => each.attempts === attempts),
      `attempt ${attempts} to end`,
      30_000,
    );
  /** The next attempts come now. */
  const hasten = () =>
    houseOf().world.db.query(sql`
      update jobs set run_at = statement_timestamp(), state = 'ready'
      where kind = 'webhooks.post' and state = 'waiting'`);
  /** Deletes it, and lets the jobs of its deliveries find nothing. */
  const remove = async (tenant: Caller, id: string) => {
    assert.equal((await call(tenant, "DELETE", `/${id}`)).status, 200);
    await hasten();
  };
  return { call, make, sendTest, replay, deliveries, settled, hasten, remove };
}

/** As a receiver makes it, written down from the standard. */
export const signatureOf = (secret: string, { headers, body }: Received): string => {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};
