// Attacks on files: what the host has, what others have, and what must not be written.
import { type Attack, type Targets, when } from "./attack.ts";

const outside = { by: "outside" } as const;
const outsideAsRoot = { by: "outside", isForRoot: true } as const;

const reading: Attack[] = [
  {
    name: "reads a file of the host by its path",
    line: ({ secretFile }) => when(`grep -q SECRET ${secretFile}`),
    control: outside,
  },
  {
    name: "reads it through a link in the workspace",
    line: ({ secretFile }) => when(`ln -sf ${secretFile} link && grep -q SECRET link`),
    control: outside,
  },
  {
    name: "reads it through the root of any process",
    line: ({ secretFile }) => when(`cat /proc/[0-9]*/root${secretFile} | grep -q SECRET`),
    control: outside,
  },
  {
    name: "reads it through a descriptor that the server inherited",
    line: ({ inheritedDescriptor }) => when(`grep -q SECRET /proc/self/fd/${inheritedDescriptor}`),
    control: outside,
  },
  {
    name: "finds the accounts of the host",
    line: () => when("[ -e /etc/shadow ]"),
    control: outside,
  },
  {
    name: "finds the home of root",
    line: () => when("[ -d /root ]"),
    control: outside,
  },
  {
    name: "finds block devices",
    line: () => `for d in /dev/*; do ${when('[ -b "$d" ]')}; done`,
    control: outside,
  },
  {
    name: "finds the kernel's log",
    line: () => when("[ -e /dev/kmsg ]"),
    control: outside,
  },
  {
    name: "looks into /sys",
    line: () => when("[ -d /sys/kernel ]"),
    control: outside,
  },
  {
    name: "reads addresses of the kernel",
    line: () => when("head -c 1 /proc/kallsyms | grep -q ."),
    control: outside,
  },
  {
    name: "reads how the host was booted",
    line: () => when("grep -q . /proc/cmdline"),
    control: outside,
  },
  {
    name: "finds the file of another session",
    line: () => when("find / -name of-another-session 2>/dev/null | grep -q ."),
    control: { by: "the other sandbox" },
  },
];

const learning: Attack[] = [
  {
    name: "learns where the server keeps its files from the mounts",
    line: ({ directory }) => when(`grep -q ${directory} /proc/self/mountinfo`),
    control: { by: "plain bind" },
  },
  {
    name: "learns it from open files, programs and maps",
    line: ({ directory }) =>
      when(
        `{ ls -l /proc/[0-9]*/{fd,exe,cwd,root} /proc/[0-9]*/fd/*; cat /proc/[0-9]*/maps; } | grep -q ${directory}`,
      ),
    control: {
      by: "outside",
      line: ({ directory, secretFile }: Targets) =>
        `exec 7<${secretFile}; ${when(`ls -l /proc/$$/fd | grep -q ${directory}`)}`,
    },
  },
  {
    name: "learns the name of the host",
    line: ({ hostname }) => when(`[ "$(cat /proc/sys/kernel/hostname)" = "${hostname}" ]`),
    control: outside,
  },
];

const writing: Attack[] = [
  ...["/", "/usr", "/usr/bin/bash", "/etc", "/etc/passwd", "/proc/sys/kernel/core_pattern"].map(
    (path): Attack => ({
      name: `writes to ${path}`,
      // access(2) knows of file systems that are mounted read-only.
      line: () => when(`[ -w ${path} ]`),
      control: outsideAsRoot,
    }),
  ),
  {
    name: "writes to what may not grow: the folder of devices",
    line: () => when(": >/dev/new"),
    control: {
      by: "outside",
      line: () => when(": >/dev/plinth-attack && rm /dev/plinth-attack"),
      isForRoot: true,
    },
  },
  {
    name: "makes a device of its own",
    line: () => when("mknod disk b 254 0"),
    control: outsideAsRoot,
  },
];

export const fileAttacks: readonly Attack[] = [...reading, ...learning, ...writing];
