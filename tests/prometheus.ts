// What tests need of Prometheus: its programs, where they are installed, and a look into the text of /metrics.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { House } from "./house.ts";

/** Why they cannot be run here; undefined where they can. */
export const prometheusFault: string | undefined = ["promtool", "prometheus"]
  .map((name) =>
    spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined
      ? undefined
      : `${name} is not installed (Debian: prometheus)`,
  )
  .find((fault) => fault !== undefined);

/** What it printed; fails with that where it complains. */
export function promtool(args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, {
    encoding: "utf8",
    ...(input !== undefined && { input }),
  });
  assert.equal(status, 0, `promtool ${args.join(" ")}:\n${stdout}${stderr}`);
  return stdout + stderr;
}

export interface Scraped {
  text: string;
  /** Undefined where there is no such series: `name{label="value"}`, labels in their own order. */
  value(series: string): number | undefined;
}

export async function scrape({ ask }: Pick<House, "ask">): Promise<Scraped> {
  const { status, body } = await ask("GET", "/metrics");
  assert.equal(status, 200);
  const text = body as string;
  const values = new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [
        line.slice(0, line.lastIndexOf(" ")),
        Number(line.slice(line.lastIndexOf(" "))),
      ]),
  );
  return { text, value: (series) => values.get(series) };
}
