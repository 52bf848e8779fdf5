// The seccomp filter of a sandbox, as the kernel's small instruction set (classic BPF).
import { findNumber, type Machine, numberOf, type SystemCallName } from "./numbers.ts";

/** What a program of an agent has no use for, and what has opened ways out of sandboxes before. */
const denied = [
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "open_tree",
  "move_mount",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "mount_setattr",
  "open_tree_attr",
  "statmount",
  "listmount",
  "name_to_handle_at",
  "open_by_handle_at",
  "quotactl",
  "quotactl_fd",
  "fanotify_init",
  "unshare",
  "setns",
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "kcmp",
  "pidfd_getfd",
  "process_madvise",
  "process_mrelease",
  "bpf",
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "userfaultfd",
  "perf_event_open",
  "add_key",
  "request_key",
  "keyctl",
  "memfd_secret",
  "modify_ldt",
  "mbind",
  "set_mempolicy",
  "migrate_pages",
  "move_pages",
  "lookup_dcookie",
  "reboot",
  "swapon",
  "swapoff",
  "acct",
  "syslog",
  "vhangup",
  "iopl",
  "ioperm",
  "sethostname",
  "setdomainname",
  "settimeofday",
  "adjtimex",
  "clock_settime",
  "clock_adjtime",
  "init_module",
  "finit_module",
  "delete_module",
  "kexec_load",
  "kexec_file_load",
  "create_module",
  "get_kernel_syms",
  "query_module",
  "nfsservctl",
  "sysfs",
  "ustat",
  "uselib",
] as const satisfies readonly SystemCallName[];

const architectures: Record<Machine, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** The x32 calls bear this bit. */
const x32Bit = 0x4000_0000;
/** `mseal`: what a later kernel adds is refused until someone has looked at it. */
const newestNumber = 462;

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const answer = (errno: number) => 0x0005_0000 | errno;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** CLONE_NEW: time, mount, cgroup, uts, ipc, user, pid, net. */
const namespaceFlags =
  0x80 | 0x2_0000 | 0x200_0000 | 0x400_0000 | 0x800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;
/** Typing into the terminal of whoever looks; copying from a console. */
const terminalRequests = [0x5412, 0x541c];
const families = { unix: 1, ipv4: 2, ipv6: 10, netlink: 16 };

/** One instruction: code, how far to go on where it holds and where not, its operand. */
type Instruction = readonly [code: number, holds: number, otherwise: number, operand: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const give = (result: number): Instruction => [0x06, 0, 0, result];
const [numberAt, architectureAt] = [0, 4];
/** The low half: none of what is compared here has a high one. */
const argumentAt = (index: number) => 16 + 8 * index;
const [equal, greaterOrEqual, anyBit] = [0x15, 0x35, 0x45];

/** Where it holds, the result; else on with the next. */
const when = (test: number, operand: number, result: number): Instruction[] => [
  [test, 0, 1, operand],
  give(result),
];

/** The lines only for this call, which must end it. */
function only(
  name: SystemCallName,
  machine: Machine,
  lines: readonly Instruction[],
): Instruction[] {
  return [[equal, 0, lines.length, numberOf(name, machine)], ...lines];
}

export function makeFilter(machine: Machine): Buffer {
  const { unix, ipv4, ipv6, netlink } = families;
  const instructions: Instruction[] = [
    load(architectureAt),
    [equal, 1, 0, architectures[machine]],
    give(kill),
    load(numberAt),
    ...(machine === "x64" ? when(anyBit, x32Bit, kill) : []),
    ...denied
      .flatMap((name) => findNumber(name, machine) ?? [])
      .flatMap((number) => when(equal, number, answer(EPERM))),
    // Its flags lie in memory, where no filter looks: libraries go back to clone.
    ...when(equal, numberOf("clone3", machine), answer(ENOSYS)),
    ...when(greaterOrEqual, newestNumber + 1, answer(ENOSYS)),
    ...only("clone", machine, [
      load(argumentAt(0)),
      ...when(anyBit, namespaceFlags, answer(EPERM)),
      give(allow),
    ]),
    ...only("ioctl", machine, [
      load(argumentAt(1)),
      ...terminalRequests.flatMap((request) => when(equal, request, answer(EPERM))),
      give(allow),
    ]),
    ...only("personality", machine, [
      load(argumentAt(0)),
      ...when(equal, 0, allow),
      ...when(equal, 0xffff_ffff, allow),
      give(answer(EPERM)),
    ]),
    ...only("socket", machine, [
      load(argumentAt(0)),
      ...[unix, ipv4, ipv6].flatMap((family) => when(equal, family, allow)),
      // Of netlink, routes alone: the C library asks them which addresses there are.
      [equal, 1, 0, netlink],
      give(answer(EAFNOSUPPORT)),
      load(argumentAt(2)),
      ...when(equal, 0, allow),
      give(answer(EAFNOSUPPORT)),
    ]),
    ...only("socketpair", machine, [
      load(argumentAt(0)),
      ...when(equal, unix, allow),
      give(answer(EAFNOSUPPORT)),
    ]),
    give(allow),
  ];
  return Buffer.concat(
    instructions.map(([code, holds, otherwise, operand]) => {
      const line = Buffer.alloc(8);
      line.writeUInt16LE(code);
      line.writeUInt8(holds, 2);
      line.writeUInt8(otherwise, 3);
      line.writeUInt32LE(operand >>> 0, 4);
      return line;
    }),
  );
}
