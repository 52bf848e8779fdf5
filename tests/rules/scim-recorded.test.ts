// Rules SCM20 to SCM31, over HTTP: the requests that Entra and Okta document, one after the other, as they send them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { isInGroup, providerOf, type Provider } from "./scim-house.ts";

interface Step {
  name: string;
  method: string;
  path: string;
  body?: unknown;
  status: number;
  /** Its id is `{this}` in the steps that follow. */
  keep?: string;
  /** What the answer holds, beside whatever else. */
  expect?: unknown;
  absent?: string[];
  /** Whether somebody of the e-mail is a member of the organization after it. */
  members?: [string, boolean];
  /** Whether the group of the house has the user. */
  group?: [string, string, boolean];
}

interface Recording {
  title: string;
  steps: Step[];
}

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

for (const name of ["entra", "okta"]) {
  const file = join(import.meta.dirname, "../scim", `${name}.json`);
  const { title, steps } = JSON.parse(readFileSync(file, "utf8")) as Recording;

  describe(title, () => {
    const kept = new Map<string, string>();
    const filled = (text: string) =>
      text.replace(/\{(user|group)\}/g, (_, key: string) => kept.get(key) ?? `no ${key}`);
    const fill = (value: unknown): unknown =>
      value === undefined ? undefined : JSON.parse(filled(JSON.stringify(value)));

    let provider: Provider;
    before(async () => {
      provider = await providerOf(house);
    });

    for (const step of steps)
      test(`[SCM20] ${step.name}`, async () => {
        const body = fill(step.body);
        const answer = await provider.scim(step.method, filled(step.path), body);
        const said = JSON.stringify(answer.body);
        assert.equal(answer.status, step.status, said);
        if (step.status !== 204)
          assert.equal(answer.headers.get("content-type"), "application/scim+json");
        if (step.keep !== undefined) kept.set(step.keep, answer.body.id as string);
        if (step.expect !== undefined)
          assert.partialDeepStrictEqual(answer.body, fill(step.expect));
        for (const field of step.absent ?? []) assert.equal(answer.body[field], undefined, said);
        if (step.members !== undefined)
          assert.equal(await provider.isMember(step.members[0]), step.members[1]);
        if (step.group !== undefined) {
          const [group, user, isIn] = step.group;
          assert.equal(await isInGroup(house, filled(group), filled(user)), isIn);
        }
      });
  });
}
