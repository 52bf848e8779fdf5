// Environments as the unchanged client calls them: every method, pages, and error classes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import {
  BetaEnvironmentArchivedError,
  BetaInvalidConfigTypeChangeError,
  BetaInvalidMetadataError,
} from "@anthropic-ai/sdk/resources/beta/environments/environments";
import { openHouse, type House } from "../house.ts";
import { failing, listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const connect = () => listeningClient(house, { maxRetries: 2 });

test("environments: create, retrieve, update, list, archive, delete", async () => {
  const { client, seen } = connect();
  const { environments } = client.beta;
  const made = await environments.create({
    name: "python",
    metadata: { team: "red" },
    config: {
      type: "cloud",
      networking: {
        type: "limited",
        allowed_hosts: ["api.example.com"],
        allow_package_managers: true,
      },
      packages: { pip: ["numpy==2.0"] },
    },
  });
  assert.match(made.id, /^env_/);
  assert.deepEqual([made.type, made.description, made.archived_at], ["environment", null, null]);
  assert.ok(made.config.type === "cloud" && made.config.networking.type === "limited");
  assert.deepEqual(made.config.packages.apt, []);
  assert.deepEqual(await environments.retrieve(made.id), made);
  const changed = await environments.update(made.id, {
    description: "With numbers",
    metadata: { team: null, year: "2026" },
    config: { type: "cloud", packages: { npm: ["zod"] } },
  });
  assert.deepEqual([changed.description, changed.metadata], ["With numbers", { year: "2026" }]);
  assert.ok(changed.config.type === "cloud");
  assert.deepEqual(
    [changed.config.packages.pip, changed.config.packages.npm],
    [["numpy==2.0"], ["zod"]],
  );
  for (const name of ["a", "b", "c"])
    await environments.create({ name, config: { type: "self_hosted" } });
  const archived = await environments.archive(made.id);
  assert.notEqual(archived.archived_at, null);
  const names = async (include_archived: boolean) => {
    const all: string[] = [];
    for await (const { name } of environments.list({ limit: 2, include_archived })) all.push(name);
    return all;
  };
  assert.deepEqual(await names(false), ["c", "b", "a"]);
  assert.deepEqual(await names(true), ["c", "b", "a", "python"]);
  assert.deepEqual(await environments.delete(made.id), {
    id: made.id,
    type: "environment_deleted",
  });
  await failing(Anthropic.NotFoundError, environments.retrieve(made.id));
  for (const { headers } of seen)
    assert.equal(headers.get("anthropic-beta"), "managed-agents-2026-04-01");
});

test("what is refused has its class, and is asked once", async () => {
  const { client, seen } = connect();
  const { environments } = client.beta;
  const { id } = await environments.create({ name: "a" });
  const metadata = { key: "v".repeat(513) };
  await failing(BetaInvalidMetadataError, environments.create({ name: "a", metadata }));
  const config = { type: "self_hosted" as const };
  const typed = await failing(
    BetaInvalidConfigTypeChangeError,
    environments.update(id, { config }),
  );
  assert.equal(typed.details.error_code, "invalid_config_type_change");
  await environments.archive(id);
  await failing(BetaEnvironmentArchivedError, environments.update(id, { name: "b" }));
  assert.equal(seen.length, 5);
});
