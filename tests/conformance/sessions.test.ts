// The official client against sessions: create, talk, stream, answer calls.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const connect = () =>
  listeningClient(house, { maxRetries: 2, apiKey: house.organizations.other.api_key }).client;

const said = (text: string): Anthropic.Beta.Sessions.BetaManagedAgentsEventParams => ({
  type: "user.message",
  content: [{ type: "text", text }],
});

async function begin(client: Anthropic, agent: Record<string, unknown> = {}) {
  const made = await client.beta.agents.create({ name: "Helper", model: "sim-small", ...agent });
  const environment = await client.beta.environments.create({
    name: "lab",
    config: { type: "self_hosted" },
  });
  return client.beta.sessions.create({ agent: made.id, environment_id: environment.id });
}

test("sessions: a turn on the stream, and the same events in the list", async () => {
  const client = connect();
  const session = await begin(client);
  assert.match(session.id, /^sesn_/);
  assert.equal(session.status, "idle");
  const stream = await client.beta.sessions.events.stream(session.id);
  const sent = await client.beta.sessions.events.send(session.id, {
    events: [said("Hello [[say Good day.]]")],
  });
  assert.equal(sent.data?.length, 1);
  const seen: Anthropic.Beta.Sessions.BetaManagedAgentsStreamSessionEvents[] = [];
  for await (const event of stream) {
    seen.push(event);
    if (event.type === "session.status_idle") break;
  }
  const listed = [];
  for await (const event of client.beta.sessions.events.list(session.id)) listed.push(event);
  assert.deepEqual(
    listed.map(({ id, type }) => ({ id, type })),
    seen.map((event) => ({ id: "id" in event ? event.id : "", type: event.type })),
  );
});
