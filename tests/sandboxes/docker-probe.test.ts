// What the probe of the provider `docker` promises for what a container has shown of itself.
import assert from "node:assert/strict";
import { release } from "node:os";
import { test } from "node:test";
import type { DaemonFacts } from "../../server/sandboxes/docker/engine/engine.ts";
import { describeDocker, faultOfRights, type Means } from "../../server/sandboxes/docker/probe.ts";
import { readSight, type Sight } from "../../server/sandboxes/docker/sight.ts";
import { defaultLimits } from "../../server/sandboxes/module.ts";

const settings = { socket: "/var/run/docker.sock", image: "debian:12" };
const daemon: DaemonFacts = {
  version: "27.0.1",
  isRootless: false,
  isRemapped: false,
  hasSeccomp: true,
  defaultRuntime: "runc",
  runtimes: new Map([
    ["runc", "runc"],
    ["gvisor", "/usr/local/bin/runsc"],
    ["shim", "io.containerd.runsc.v1"],
  ]),
};

/** As a container says that has all that it was asked to have. */
const said = `
status.Uid:=1879048200\t1879048200\t1879048200\t1879048200
status.CapInh:=0000000000000000
status.CapPrm:=0000000000000000
status.CapEff:=0000000000000000
status.CapBnd:=0000000000000000
status.CapAmb:=0000000000000000
status.NoNewPrivs:=1
status.Seccomp:=2
root=ro,relatime
workspace=written
head=there
memory=${defaultLimits.memoryBytes}
pids=${defaultLimits.processesMax + 1}
cpu=100000 100000
release=${release()}
`;

const sightOf = (text: string, more: Partial<Sight> = {}): Sight => ({
  ...readSight(text, defaultLimits),
  isHere: true,
  ...more,
});

const levelsOf = (sight: Sight, more: Partial<Means> = {}) => {
  const { guarantees } = describeDocker({ settings, daemon, isRoot: true, sight, ...more });
  return Object.fromEntries(Object.entries(guarantees).map(([name, { level }]) => [name, level]));
};

const all = {
  fs: "enforced",
  processes: "enforced",
  memory: "enforced",
  cpu: "enforced",
  disk: "enforced",
  network: "enforced",
  kernel: "best_effort",
};

test("[SBX92] what a container shows is enforced, and what it does not show is not", () => {
  assert.deepEqual(levelsOf(sightOf(said)), all);
  const without = (start: string) => said.replace(new RegExp(`^${start}.*$`, "m"), "");
  for (const [start, name, level] of [
    ["root=", "fs", "best_effort"],
    ["pids=", "processes", "best_effort"],
    ["memory=", "memory", "best_effort"],
    ["cpu=", "cpu", "best_effort"],
    ["status.Seccomp:=", "kernel", "none"],
  ] as const)
    assert.deepEqual(levelsOf(sightOf(without(start))), { ...all, [name]: level }, start);
  const unlimited = said.replace("memory=", "memory=1");
  assert.deepEqual(levelsOf(sightOf(unlimited)), { ...all, memory: "best_effort" });
  const plain = { ...all, fs: "best_effort", disk: "best_effort" };
  assert.deepEqual(levelsOf(sightOf(said), { imageFault: "there is no mkfs.ext4" }), plain);
});

test("[SBX92] the kernel is enforced where gVisor answers, by whatever name it is known", () => {
  const own = said.replace(release(), "4.4.0").replace("Seccomp:=2", "Seccomp:=0");
  const kernelOf = (text: string, runtime: string) =>
    levelsOf(sightOf(text), { settings: { ...settings, runtime } })["kernel"];
  assert.deepEqual(
    ["gvisor", "shim", "runc"].map((runtime) => kernelOf(own, runtime)),
    ["enforced", "enforced", "none"],
  );
  assert.equal(kernelOf(said, "gvisor"), "best_effort", "it is the host's kernel that answered");
});

test("[SBX91] a container with rights is no sandbox", () => {
  const faultOf = (from: string, to: string) => {
    const text = said.replace(from, to);
    assert.notEqual(text, said);
    return faultOfRights(sightOf(text), daemon, settings)?.reason;
  };
  assert.equal(faultOfRights(sightOf(said), daemon, settings), undefined);
  for (const [from, to] of [
    ["Uid:=1879048200", "Uid:=0"],
    ["CapBnd:=0000000000000000", "CapBnd:=0000000000000400"],
    ["NoNewPrivs:=1", "NoNewPrivs:=0"],
  ] as const)
    assert.equal(faultOf(from, to), "A container has rights that were taken from it.", from);
  assert.match(faultOf("head=there", "") ?? "", /no \/usr\/bin\/head/);
  assert.match(faultOf("workspace=written", "") ?? "", /could not be written to/);
});

test("[SBX90] what goes wrong has a way out of it", () => {
  const mendOf = (reason: string, facts: DaemonFacts | undefined = daemon) =>
    describeDocker({ settings, isRoot: true, fault: { reason }, daemon: facts }).mend;
  assert.match(mendOf("The Docker daemon says: Unknown runtime specified x.") ?? "", /runtime/);
  assert.match(
    mendOf('OCI runtime create failed: exec: "/bin/bash": no such file.') ?? "",
    /an image that has bash/,
  );
  const rootless = { ...daemon, isRootless: true };
  assert.match(mendOf("The workspace could not be written to.", rootless) ?? "", /runs as root/);
  const remapped = { ...daemon, isRemapped: true };
  assert.match(mendOf("It does not start.", remapped) ?? "", /userns-remap/);
});
