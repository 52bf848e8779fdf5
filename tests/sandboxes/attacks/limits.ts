// Attacks by size: more than the sandbox was given.
import { type Attack, shout, when } from "./attack.ts";

const mib = 1024 * 1024;
const looser = (limits: Attack["limits"] & object) => ({ by: "looser limits", limits }) as const;

const fill = (path: string, count: number) =>
  `mkdir -p ${path}; ${when(`head -c ${count * mib} /dev/zero >${path}/fill`)}; rm -f ${path}/fill`;

export const limitAttacks: readonly Attack[] = [
  {
    name: "starts more processes than it may",
    line: () =>
      `perl -e 'for (1..60) { $p = fork; last unless defined $p; if (!$p) { sleep 1000; exit } push @p, $p } ${shout} if @p == 60; kill 9, @p'`,
    limits: { processesMax: 30 },
    control: looser({ processesMax: 200 }),
  },
  {
    name: "uses more memory than it may in one process",
    line: () => `perl -e '$x = "x" x (200 * ${mib}); ${shout}'`,
    limits: { memoryBytes: 96 * mib },
    control: looser({ memoryBytes: 1024 * mib }),
  },
  {
    name: "uses more memory than it may in several processes",
    // Those that the kernel ends for others have had theirs: what counts is what all have at once.
    line: () =>
      `perl -e 'for (1..4) { pipe(my $r, my $w); push @r, $r; if ($p = fork) { push @p, $p; next } $m = 50 * ${mib}; $x = "x" x $m; syswrite $w, "x"; sleep 1000; exit } sysread $_, $x, 1 for @r; for (@p) { open F, "/proc/$_/status"; $n += grep { /^VmRSS:\\s+(\\d+)/ && $1 > 40_000 } <F> } ${shout} if $n == 4; kill 9, @p'`,
    limits: { memoryBytes: 128 * mib },
    guarantee: "memory",
    control: looser({ memoryBytes: 1024 * mib }),
  },
  {
    name: "fills the workspace with one file",
    line: () => fill("/workspace", 48),
    limits: { workspaceBytes: 32 * mib },
    control: looser({ workspaceBytes: 128 * mib }),
  },
  {
    name: "fills the workspace with many files",
    line: () =>
      `for n in {1..48}; do head -c ${mib} /dev/zero >many$n || break; done 2>/dev/null; ${when("[ $(cat many* | wc -c) -ge " + 48 * mib + " ]")}`,
    limits: { workspaceBytes: 32 * mib },
    guarantee: "disk",
    control: looser({ workspaceBytes: 128 * mib }),
  },
  {
    name: "fills /tmp",
    line: () => fill("/tmp", 24),
    limits: { tmpBytes: 16 * mib },
    control: looser({ tmpBytes: 64 * mib }),
  },
  {
    name: "fills its home",
    line: () => fill("/home/agent", 24),
    limits: { tmpBytes: 16 * mib },
    control: looser({ tmpBytes: 64 * mib }),
  },
];
