// The changes of deployments that leave an event each.
import assert from "node:assert/strict";
import type { House, Tenant } from "../house.ts";
import { managedAgents } from "./agents-house.ts";
import type { AuditedChange } from "./audit-house.ts";

/** The house is there when they are made ready. */
export function deploymentChanges(houseOf: () => House): Record<string, AuditedChange> {
  const call = (key: string, method: string, path: string, body?: object) =>
    houseOf().ask(method, path, { key, headers: managedAgents, ...(body && { body }) });
  const good = async (key: string, path: string, body?: object): Promise<string> => {
    const answer = await call(key, "POST", path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (answer.body as { id: string }).id;
  };
  const bodyFor = async (key: string) => ({
    name: "Daily report",
    agent: await good(key, "/v1/agents", { name: "reporter", model: "sim-large" }),
    environment_id: await good(key, "/v1/environments", { name: "cloud" }),
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "Report." }] }],
    schedule: { type: "cron", expression: "0 9 1 1 *", timezone: "UTC" },
  });
  const state = async ({ api_key: key }: Tenant) =>
    (await call(key, "GET", "/v1/deployments?include_archived=true")).body;
  const change = (verb: string, path: string, body?: object, before: string[] = []) => ({
    action: `deployment.${verb}`,
    prepare: async ({ api_key: key }: Tenant) => {
      const id = await good(key, "/v1/deployments", await bodyFor(key));
      for (const each of before) await good(key, `/v1/deployments/${id}${each}`);
      return () => call(key, "POST", `/v1/deployments/${id}${path}`, body);
    },
    state,
  });
  return {
    "deployments.create": {
      action: "deployment.created",
      prepare: async ({ api_key: key }) => {
        const body = await bodyFor(key);
        return () => call(key, "POST", "/v1/deployments", body);
      },
      state,
    },
    "deployments.update": change("updated", "", { name: "Weekly report" }),
    "deployments.archive": change("archived", "/archive"),
    "deployments.pause": change("paused", "/pause"),
    "deployments.unpause": change("unpaused", "/unpause", undefined, ["/pause"]),
    "deployments.run": {
      ...change("", "/run"),
      action: "deployment_run.started",
      makes: "session.created",
    },
  };
}
