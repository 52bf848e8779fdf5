// The one harness: the real server on a free port, with a database of its own, and what a caller needs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
import { systemClock } from "../kernel/base/clock.ts";
import type { OrganizationType, World } from "../kernel/context.ts";
import { openLogger } from "../kernel/observe/logger.ts";
import { makePasswords } from "../kernel/secret/passwords.ts";
import { sql } from "../kernel/sql/statement.ts";
import { openPool, type Database } from "../kernel/sql/database.ts";
import { schedules } from "../server/app.ts";
import { initialize } from "../server/organization-setup.ts";
import { serveInProcess, type RunningServer } from "../server/serve.ts";
import type { TracingSettings } from "../kernel/observe/tracing/observe.ts";
import type { WorldOverrides } from "../server/world.ts";
import { testDatabase } from "./postgres.ts";
import { testTimeoutMs } from "./test-timeout.ts";

export type Tenant = Awaited<ReturnType<typeof initialize>> & {
  /** The console's cookie of the owner, as the `cookie` header. */
  cookie: string;
};

export interface Answer {
  status: number;
  headers: Headers;
  // The tests read replies of every shape; what they claim about them is what they check.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface Ask {
  key?: string;
  cookie?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface House extends AsyncDisposable {
  url: string;
  world: World;
  organizations: Record<"platform" | "enterprise" | "cloud" | "other", Tenant>;
  /** One request: `ask("POST", "/v1/…", { key, body })`. */
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  /** Signs in as the owner and gives the cookie. */
  signIn(tenant: Pick<Tenant, "owner_email" | "owner_password">): Promise<string>;
  /** Every line of the log so far. */
  log: readonly Record<string, unknown>[];
  /** Another process' worth of server on the same database. */
  openSecondServer(options?: {
    drainSeconds?: number;
  }): Promise<{ url: string; world: World } & AsyncDisposable>;
  /** Errors that a test provokes on purpose: taken out of the log before the house looks at it. */
  expectErrors(): Record<string, unknown>[];
}

export interface HouseOptions extends WorldOverrides {
  /** Replies are held against their schema unless a test is about something else. */
  checkReplies?: boolean;
  /** Of pages that may use the API. */
  corsOrigins?: readonly string[];
  /** A second enterprise organization, on the list of all but under no name of its own. */
  rival?: boolean;
  /** Where traces go; to nowhere unless it is given. */
  tracing?: TracingSettings;
  /** The least that `log` has. */
  logLevel?: "info" | "debug";
  /** The message of errors that a schedule may log at any moment, up to the end of the house. */
  toleratedErrors?: RegExp;
}

const types: Record<keyof House["organizations"], OrganizationType> = {
  platform: "platform",
  enterprise: "enterprise",
  cloud: "platform_cloud",
  other: "platform",
};

/**
 * Tests ask more in a minute than an organization may, and count events that are theirs; those of the budget, and
 * of facts that are recorded once a minute, say so.
 */
const roomy = {
  administration: { requests_per_minute: 10_000, refused_per_minute: 10_000 },
  audit: { noted_every_seconds: 86_400 },
};

/** Owners sign in some thousand times in a run; a test of what a hash costs asks for the product's own. */
const quick = makePasswords({ memoryKiB: 64, passes: 1 });

/** As it was at the start: while a browser is unpacked for the first time, it is a folder that goes away with that. */
const temporary = tmpdir();

export async function openHouse({
  rival,
  corsOrigins = [],
  toleratedErrors = /^(?!)/,
  logLevel = "info",
  tracing,
  ...options
}: HouseOptions = {}): Promise<House> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const directory = mkdtempSync(join(temporary, "plinth-house-"));
  opening.defer(() => rmSync(directory, { recursive: true, force: true }));
  const log: Record<string, unknown>[] = [];
  const write = (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>);
  const logger = openLogger({ format: "json", level: logLevel, destination: { write } });
  const serve = async (db: Database, drainSeconds = 5) => {
    return await serveInProcess(
      {
        dataDirectory: directory,
        host: "127.0.0.1",
        port: 0,
        publicUrl: undefined,
        databaseUrl: undefined,
        masterKey: undefined,
        metricsToken: null,
        tracing: tracing ?? null,
        workers: 1,
        drainSeconds,
        proxies: 0,
        corsOrigins,
        logging: { format: "json", level: "info" },
        logger,
      },
      { kind: "external", serverVersion: "test", ...database, db },
      {
        checkReplies: true,
        passwords: quick,
        ...options,
        sections: { ...roomy, ...options.sections },
      },
    );
  };
  const server = await serve(database.db);
  opening.defer(() => server.stop());
  const { world } = server.opened;
  const ask = asker(server);
  const signIn = (tenant: Pick<Tenant, "owner_email" | "owner_password">) => cookieOf(ask, tenant);

  const organizations = {} as House["organizations"];
  const all = { ...types, ...(rival && { rival: "enterprise" as const }) };
  for (const [name, type] of Object.entries(all) as [keyof typeof types, OrganizationType][]) {
    const made = await initialize(world, {
      organization: `${name} of the house`,
      type,
      email: `owner@${name}.example`,
    });
    organizations[name] = { ...made, cookie: await signIn(made) };
  }
  // Deferred last, so that it looks before anything is closed.
  opening.defer(async () => {
    assert.deepEqual(await jobsLeft(world), [], "jobs are left over");
    assert.deepEqual(
      errorsOf(log).filter(({ message }) => !toleratedErrors.test(String(message))),
      [],
      "errors were logged",
    );
  });
  const closing = opening.move();
  return {
    url: server.url,
    world,
    organizations,
    ask,
    signIn,
    log,
    openSecondServer: async ({ drainSeconds } = {}) => {
      // A pool of its own: what a process remembers hangs on it, and two processes share no memory.
      const db = openPool({ connection: database.connection, connectionsMax: 4, logger });
      await using starting = new AsyncDisposableStack();
      starting.defer(() => db.close());
      const other = await serve(db, drainSeconds);
      starting.defer(() => other.stop());
      const stack = starting.move();
      return {
        url: other.url,
        world: other.opened.world,
        [Symbol.asyncDispose]: () => stack.disposeAsync(),
      };
    },
    expectErrors: () => {
      const errors = errorsOf(log);
      for (const error of errors) log.splice(log.indexOf(error), 1);
      return errors;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const errorsOf = (log: readonly Record<string, unknown>[]) =>
  log.filter(({ level }) => level === "error");

const scheduledKinds = schedules.map(({ job }) => job(new Date(0)).kind);

/** One that a schedule has just put in is about to be done. */
async function jobsLeft({ db }: World): Promise<unknown[]> {
  const endMs = systemClock.monotonicMs() + testTimeoutMs;
  for (;;) {
    // The housekeeping of a schedule, which a jump of a set clock interrupted, waits for a time that never comes; where
    // it lost its lease by it, for a poll that never comes.
    const jobs = await db.query(sql`
      select kind, state from jobs
      where not (kind = any(${scheduledKinds})
        and (state = 'waiting' or lease_until < clock_timestamp()))`);
    if (jobs.length === 0 || systemClock.monotonicMs() > endMs) return jobs;
    await systemClock.sleep(50);
  }
}

function asker({ url }: Pick<RunningServer, "url">): House["ask"] {
  return async (method, path, { key, cookie, headers = {}, body } = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(text !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { "x-api-key": key }),
        ...(cookie !== undefined && { cookie, origin: url }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    const content = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const { status } = response;
    return { status, headers: response.headers, body: isJson ? JSON.parse(content) : content };
  };
}

async function cookieOf(
  ask: House["ask"],
  { owner_email, owner_password }: Pick<Tenant, "owner_email" | "owner_password">,
): Promise<string> {
  const answer = await ask("POST", "/console/api/sign_in", {
    body: { email: owner_email, password: owner_password },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
}
