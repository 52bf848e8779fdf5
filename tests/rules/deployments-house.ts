// What the tests of deployments share: a house whose clock is set, an agent, an environment and the calls.
import assert from "node:assert/strict";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { openHouse, type Answer, type Ask, type HouseOptions } from "../house.ts";
import { fireDue } from "../../server/deployments/module.ts";
import type { Deployment, DeploymentRun } from "../../server/deployments/schema.ts";
import { managedAgents } from "./agents-house.ts";
import { hours, until } from "./support.ts";

const newer = { "vendor-version": "2026-10-21" };
export const hello = [
  { type: "user.message", content: [{ type: "text", text: "Write the report." }] },
];

/** A Friday, half a minute past nine. */
export const start = new Date("2026-11-20T09:00:30Z");

export async function openDeploymentHouse(options: HouseOptions = {}) {
  const wall = makeManualClock(start);
  const house = await openHouse({ ...options, clock: { ...systemClock, now: () => wall.now() } });
  const { platform } = house.organizations;
  const call = (method: string, path: string, { headers, ...asking }: Ask = {}): Promise<Answer> =>
    house.ask(method, path, {
      ...(asking.key === undefined && asking.cookie === undefined && { key: platform.api_key }),
      ...asking,
      headers: { ...managedAgents, ...newer, ...headers },
    });
  const good = async <T>(method: string, path: string, asking: Ask = {}): Promise<T> => {
    const { status, body } = await call(method, path, asking);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body as T;
  };
  const agentBody = { name: "reporter", model: "sim-large" };
  const agent: { id: string } = await good("POST", "/v1/agents", { body: agentBody });
  const environmentBody = { name: "cloud" };
  const environment: { id: string } = await good("POST", "/v1/environments", {
    body: environmentBody,
  });
  const bodyOf = (more: object = {}) => ({
    name: "Daily report",
    agent: agent.id,
    environment_id: environment.id,
    initial_events: hello,
    ...more,
  });
  const runsOf = async (id: string): Promise<DeploymentRun[]> =>
    (
      await good<{ data: DeploymentRun[] }>(
        "GET",
        `/v1/deployment_runs?deployment_id=${id}&limit=100`,
      )
    ).data;
  return {
    house,
    wall,
    agent,
    environment,
    call,
    good,
    bodyOf,
    runsOf,
    create: (more: object = {}) => call("POST", "/v1/deployments", { body: bodyOf(more) }),
    make: (more: object = {}, asking: Ask = {}) =>
      good<Deployment>("POST", "/v1/deployments", { ...asking, body: bodyOf(more) }),
    update: (id: string, body: object) =>
      good<Deployment>("POST", `/v1/deployments/${id}`, { body }),
    act: (id: string, verb: string, asking: Ask = {}) =>
      call("POST", `/v1/deployments/${id}/${verb}`, asking),
    read: (id: string, asking: Ask = {}) =>
      good<Deployment>("GET", `/v1/deployments/${id}`, asking),
    run: (id: string, asking: Ask = {}) =>
      good<DeploymentRun>("POST", `/v1/deployments/${id}/run`, asking),
    /** Of an agent that this server does not run: each of its sessions is refused. */
    makeRefused: async (more: object = {}) => {
      const role_arn = "arn:aws:iam::123456789012:role/runner";
      const body = { ...agentBody, execution_identity: { type: "aws_role", role_arn } };
      const { id } = await good<{ id: string }>("POST", "/v1/agents", { body });
      return good<Deployment>("POST", "/v1/deployments", { body: bodyOf({ agent: id, ...more }) });
    },
    archive: (path: string) => good("POST", `${path}/archive`),
    makeEnvironment: (config: object = { type: "cloud" }) =>
      good<{ id: string }>("POST", "/v1/environments", { body: { name: "e", config } }),
    at: (ms: number) => new Date(wall.now().getTime() + ms).toISOString(),
    fire: () => fireDue(house.world),
    /** Half a minute past some nine o'clock, later each time. */
    nextMorning: () => {
      const sinceMs = wall.now().getTime() - start.getTime();
      wall.advance(Math.ceil((sinceMs + 1) / hours(24)) * hours(24) - sinceMs);
    },
    /** A sign-in does not last for the days that pass here. */
    signedIn: async () => ({ ...platform, cookie: await house.signIn(platform) }),
    /** So many runs of it, as soon as there are. */
    seenRuns: (id: string, count: number) =>
      until(async () => {
        const runs = await runsOf(id);
        return runs.length >= count && runs;
      }, `${count} runs of ${id}`),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}
export type DeploymentHouse = Awaited<ReturnType<typeof openDeploymentHouse>>;

export const daily = { type: "cron", expression: "0 9 * * *", timezone: "UTC" };
export const minutely = { type: "cron", expression: "* * * * *", timezone: "UTC" };
