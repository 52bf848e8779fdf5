// What an item of a batch costs until its result is there, against the same item as a message of its own.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { untilEnded } from "./api.ts";
import { median, show, whole } from "../figures.ts";
import type { Helper } from "../helper.ts";
import { type Shape, writeBody } from "./items.ts";
import { measured, total, type Measured, type Used } from "./processes.ts";
import type { Server } from "../server.ts";

const rounds = 3;
const connections = 32;
const itemBytes = 2_000;
/** Until the runtime has compiled what is hot: the first 20,000 messages cost a third more. */
const warmShape: Shape = { count: 40_000, bytes: itemBytes };
/** What the server does with the files of a batch that has ended is part of its price, too. */
const tidyMs = 1_000;

interface Subject {
  server: Server;
  client: Helper;
}

/** Gives a batch whose results are there. */
export async function work({ server, client }: Subject, count: number): Promise<string> {
  const shape = { count, bytes: itemBytes };
  const file = join(server.directory, "body.json");
  writeBody(file, shape);
  await client.ask({ kind: "messages", shape: warmShape, connections });
  await batch(server, client, file, count);
  const submitted: Measured[] = [];
  const worked: Measured[] = [];
  const messages: Measured[] = [];
  let latest = "";
  for (let round = 0; round < rounds; round++) {
    const each = await batch(server, client, file, count);
    latest = each.id;
    submitted.push(each.submitted);
    worked.push(each.worked);
    messages.push(
      await measured(server.pid, () => client.ask({ kind: "messages", shape, connections })),
    );
  }
  console.log(`Work on ${whole(count)} items of 2 KB, ${rounds} rounds`);
  showItems("as messages, 32 connections", messages, count);
  showItems("as a batch", worked, count);
  const each = (found: Measured[]) => cpuUs(found, count, total);
  const cheaper = each(messages) / each(worked);
  const withSubmit = each(messages) / (each(worked) + each(submitted));
  show("", `${cheaper.toFixed(2)} times cheaper than a message (wanted at least 2)`);
  show("", `${each(submitted).toFixed(0)} µs more to submit it: ${withSubmit.toFixed(2)} times`);
  return latest;
}

async function batch({ pid, ...server }: Server, client: Helper, file: string, count: number) {
  let id = "";
  const submitted = await measured(pid, async () => {
    id = await client.ask<string>({ kind: "submit", file });
  });
  const startMs = performance.now();
  let seconds = 0;
  const { cpu } = await measured(pid, async () => {
    const counts = await untilEnded({ pid, ...server }, id);
    seconds = (performance.now() - startMs) / 1000;
    if (counts["succeeded"] !== count) throw new Error(`${id} has ${JSON.stringify(counts)}`);
    await sleep(tidyMs);
  });
  return { id, submitted, worked: { seconds, cpu } };
}

const cpuUs = (found: Measured[], count: number, of: (cpu: Used) => number) =>
  (median(found.map(({ cpu }) => of(cpu))) * 1e6) / count;

function showItems(name: string, found: Measured[], count: number): void {
  const us = cpuUs(found, count, total);
  const server = cpuUs(found, count, (cpu) => cpu.server).toFixed(0);
  const database = cpuUs(found, count, (cpu) => cpu.database).toFixed(0);
  const perSecond = whole(count / median(found.map(({ seconds }) => seconds)));
  show(
    name,
    `${perSecond}/s; ${us.toFixed(0)} µs CPU each (server ${server}, database ${database}): ` +
      `${whole(1e6 / us)}/s and core (wanted 3,000)`,
  );
}
