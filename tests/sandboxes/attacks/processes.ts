// Attacks on processes, the network and the kernel.
import { type Attack, shout, type Targets, when } from "./attack.ts";
import {
  findNumber,
  type SystemCallName,
} from "../../../server/sandboxes/linux/system_calls/numbers.ts";

const outside = { by: "outside" } as const;
const machine = process.arch === "arm64" ? "arm64" : "x64";
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

const others: Attack[] = [
  {
    name: "sees a process of the host",
    line: ({ pid }) => when(`[ -d /proc/${pid} ]`),
    control: outside,
  },
  {
    name: "signals a process of the host",
    line: ({ pid }) => when(`kill -0 ${pid}`),
    control: outside,
  },
  {
    name: "reads the environment of the server",
    line: ({ environmentMark }) => when(`cat /proc/[0-9]*/environ | grep -q ${environmentMark}`),
    control: outside,
  },
  {
    name: "finds a process of another session",
    line: () => when("cat /proc/[0-9]*/cmdline | grep -aq 10000[0]"),
    control: { by: "the other sandbox" },
  },
  {
    name: "gets more rights from a setuid program",
    line: () => when("grep -q 'NoNewPrivs:.0' /proc/self/status"),
    control: outside,
  },
  {
    name: "keeps capabilities to be had back",
    line: () => when("grep -q 'CapBnd:.*[1-9a-f]' /proc/self/status"),
    control: outside,
  },
  {
    name: "dumps its memory to a file of its choice",
    line: () => when('[ "$(ulimit -H -c)" != 0 ]'),
    control: outside,
  },
  {
    name: "uses memory that programs of the host share",
    line: ({ sharedMemoryKey }) => when(`perl -e 'exit !defined shmget(${sharedMemoryKey}, 1, 0)'`),
    control: outside,
  },
];

const network: Attack[] = [
  {
    name: "reaches a port of the host",
    line: ({ port }) => when(`: <>/dev/tcp/127.0.0.1/${port}`),
    control: outside,
  },
  {
    name: "reaches an abstract socket of the host",
    line: ({ abstractSocket }) => connect(`"\\x00${abstractSocket}"`),
    control: outside,
  },
  {
    name: "reaches a socket of the host by its path",
    line: ({ socketPath }) => connect(`"${socketPath}"`),
    control: outside,
  },
  {
    name: "has a way out: an interface",
    line: () => when("grep ':' /proc/net/dev | grep -qv 'lo:'"),
    control: outside,
  },
  {
    name: "has a way out: a route, as to an address of metadata",
    line: () => when("tail -n +2 /proc/net/route | grep -q ."),
    control: outside,
  },
];

function connect(address: string): string {
  const program = `socket(S, 1, 1, 0) && connect(S, pack("S a*", 1, ${address})) && ${shout}`;
  return `perl -e '${program}' 2>/dev/null`;
}

/** The call is refused with this error, which the kernel itself does not give for these arguments. */
function call(
  name: SystemCallName | number,
  refusal: number,
  ...args: (string | number)[]
): Attack[] {
  const number = typeof name === "number" ? name : findNumber(name, machine);
  if (number === undefined) return [];
  const program = `$! = 0; $r = syscall(${[number, ...args].join(", ")}); ${shout} if $r >= 0 || $! != ${refusal}`;
  return [
    {
      name: `calls ${name}${args.length === 0 ? "" : ` (${args.join(", ")})`}`,
      line: () => `perl -e '${program}'`,
      control: outside,
    },
  ];
}

const kernel: Attack[] = [
  ...call("unshare", EPERM, 0),
  ...call("setns", EPERM, -1, 0),
  ...call("clone", EPERM, 0x1000_0200, 0, 0, 0, 0),
  ...call("clone3", ENOSYS, 0, 0),
  ...call("mount", EPERM, 0, 0, 0, 0, 0),
  ...call("umount2", EPERM, 'my $p = "/nowhere"', 0),
  ...call("chroot", EPERM, 'my $p = "/nowhere"'),
  ...call("open_tree", EPERM, -100, 'my $p = "/"', 0),
  ...call("name_to_handle_at", EPERM, -100, 0, 0, 0, 0),
  ...call("ptrace", EPERM, 0, 0, 0, 0),
  ...call("process_vm_readv", EPERM, "$$", 0, 0, 0, 0, 0),
  ...call("kcmp", EPERM, "$$", "$$", 2, 0, 0),
  ...call("pidfd_getfd", EPERM, -1, 0, 0),
  ...call("io_uring_setup", EPERM, 0, 0),
  ...call("keyctl", EPERM, 0, -3, 0),
  ...call("add_key", EPERM, 0, 0, 0, 0, 0),
  ...call("perf_event_open", EPERM, 0, 0, 0, -1, 0),
  ...call("personality", EPERM, 0x40_0000),
  ...call("move_pages", EPERM, 0, 0, 0, 0, 0, 0),
  ...call("modify_ldt", EPERM, 0, 0, 0),
  // Families: the host of a virtual machine, netlink for netfilter, packets of the link.
  ...call("socket", EAFNOSUPPORT, 40, 1, 0),
  ...call("socket", EAFNOSUPPORT, 16, 3, 12),
  ...call("socket", EAFNOSUPPORT, 17, 3, 0),
  // Typing into a terminal; what stands there is none, which the kernel would say otherwise.
  ...call("ioctl", EPERM, 0, 0x5412, 0),
];

/** An executable of 32-bit calls ends with 42 where the kernel takes them. */
const foreign: Attack[] =
  machine === "arm64"
    ? []
    : [
        {
          name: "calls the kernel as a program of 32 bits",
          line: () => `${writeForeign}; ./foreign; ${when("[ $? = 42 ]")}; rm -f foreign`,
          control: {
            by: "outside",
            line: ({ directory }: Targets) =>
              `cd ${directory}; ${writeForeign}; ./foreign; ${when("[ $? = 42 ]")}; rm foreign`,
          },
        },
        {
          name: "calls the kernel as a program of x32",
          // The kernel that does not know them says so, and the program lives on.
          line: () => `perl -e 'syscall(0x40000027); ${shout}'`,
          control: outside,
        },
      ];

const writeForeign = (() => {
  // mov eax, 1; mov ebx, 42; int 0x80
  const code = Buffer.from("b801000000bb2a000000cd80", "hex");
  const head = Buffer.alloc(120);
  head.write("\x7fELF\x02\x01\x01", "latin1");
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(62, 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(0x40_0078n, 24);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(64, 52);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(1, 64);
  head.writeUInt32LE(5, 68);
  head.writeBigUInt64LE(0x40_0000n, 80);
  head.writeBigUInt64LE(BigInt(120 + code.length), 96);
  head.writeBigUInt64LE(BigInt(120 + code.length), 104);
  const base64 = Buffer.concat([head, code]).toString("base64");
  return `echo ${base64} | base64 -d >foreign; chmod +x foreign`;
})();

export const processAttacks: readonly Attack[] = [...others, ...network, ...kernel, ...foreign];
