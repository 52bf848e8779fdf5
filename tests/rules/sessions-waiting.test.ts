// What waits for people, as the console lists it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { WaitingSession } from "../../server/sessions/waiting/schema.ts";
import type { Page } from "./memory-house.ts";
import {
  computer,
  confirm,
  custom,
  openSessionHouse,
  said,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const tools = [computer("always_ask"), custom("ask_me")];
const bash = '[[tool bash {"command":"ls"}]]';

async function waiting(tenant: "platform" | "other" = "platform"): Promise<WaitingSession[]> {
  const { cookie } = it.house.organizations[tenant];
  const path = "/console/api/sessions/waiting";
  return (await it.askGood<Page<WaitingSession>>("GET", path, { cookie })).data;
}

test("[SES47] sessions whose calls wait for a person are listed with them, and those that wait for a worker are not", async () => {
  const make = async (text: string) => {
    const session = await it.make({ tools }, { initial_events: [said(text)] });
    await it.idle(session.id);
    return session.id;
  };
  const asking = await make(bash);
  const answering = await make('[[tool ask_me {"question":"Why?"}]]');
  await make("Nothing of that");
  assert.deepEqual(
    (await waiting()).map(({ id, calls }) => [
      id,
      calls.map(({ event, needs }) => [(event as SessionEvent)["name"], needs]),
    ]),
    [
      [answering, [["ask_me", "answer"]]],
      [asking, [["bash", "confirmation"]]],
    ],
  );
  const [call] = (await waiting())[1]?.calls ?? [];
  await it.turn(asking, confirm(call?.event.id ?? "", "allow"));
  assert.deepEqual(
    (await waiting()).map(({ id }) => id),
    [answering],
    "a worker has its turn",
  );
  await it.archive(answering);
  assert.deepEqual(await waiting(), []);
  await make(bash);
  assert.deepEqual(await waiting("other"), [], "another workspace sees nothing of it");
});
