// What the machine's own Node.js must be: exactly as new as the packages want that npm would leave out in silence.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fitsNode, nodeTooOld } from "../../tools/node-range.ts";

const root = join(import.meta.dirname, "../..");
const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
const { engines } = read("package.json") as { engines: { node: string } };

interface Locked {
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  engines?: { node?: string };
}
const { packages } = read("package-lock.json") as { packages: Record<string, Locked> };

/** Of packages that npm skips without a word where the engines do not fit: native ones of machines that we support. */
const ranges = Object.values(packages)
  .filter(({ optional, os = [], cpu = [] }) => {
    const isOurs = os.some((each) => each === "linux" || each === "darwin");
    return optional === true && isOurs && cpu.some((each) => each === "x64" || each === "arm64");
  })
  .flatMap(({ engines: own }) => own?.node ?? []);

const versions = ["18.20.0", "20.0.0", "20.11.0", "20.18.3", "20.19.0", "20.20.2", "21.0.0"];
versions.push("21.7.3", "22.0.0", "22.11.0", "22.12.0", "22.21.1", "23.0.0", "24.7.0", "26.10.0");

test("engines is what every optional package of a supported machine accepts", () => {
  assert.ok(ranges.length > 30, "the lock file has lost its optional packages");
  for (const version of versions)
    assert.equal(
      fitsNode(version, engines.node),
      ranges.every((range) => fitsNode(version, range)),
      version,
    );
});

test("README and CONTRIBUTING say the same range", () => {
  assert.equal(engines.node, "^20.19.0 || >=22.12.0");
  for (const name of ["README.md", "CONTRIBUTING.md"])
    assert.match(
      readFileSync(join(root, name), "utf8"),
      /20\.19 or a later 20, or 22\.12 or newer/,
      name,
    );
});

test("an npm on an older Node.js ends with one sentence before the console is built", () => {
  const built = () => statSync(join(root, "console/dist"), { throwIfNoEntry: false })?.mtimeMs;
  const before = built();
  for (const version of ["20.11.0", "21.7.3", "22.11.0"]) {
    const ran = spawnSync(process.execPath, ["tools/prepare.ts"], {
      cwd: root,
      encoding: "utf8",
      env: {
        ...process.env,
        npm_config_user_agent: `npm/10.2.4 node/v${version} linux x64 workspaces/false`,
      },
    });
    assert.equal(ran.status, 1);
    assert.equal(
      ran.stdout + ran.stderr,
      `plinth: npm runs on Node.js ${version} here and has left out what builds the console: ` +
        "install Node.js 20.19.0 or a later 20, or 22.12.0 or newer, then run npm ci again.\n",
    );
  }
  assert.equal(built(), before);
});

test("an npm on a fitting Node.js, and a tool that npm did not start, go on", () => {
  for (const version of ["20.19.0", "22.12.0", "26.10.0"])
    assert.equal(nodeTooOld(`npm/11.19.1 node/v${version} linux x64`, engines.node), undefined);
  assert.equal(nodeTooOld(undefined, engines.node), undefined);
});
