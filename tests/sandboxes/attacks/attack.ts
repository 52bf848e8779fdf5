// What an attack is: a line of shell that writes BREACH where it got what it should not get.
import type { GuaranteeName, SandboxLimits } from "../../../server/sandboxes/provider.ts";

/** What there is to get at on the host. */
export interface Targets {
  /** Holds the word SECRET; its folder lies beside those of the sandboxes. */
  secretFile: string;
  /** The folder of the sandboxes, as the host names it. */
  directory: string;
  /** Open without close-on-exec in the process that starts sandboxes; leads to `secretFile`. */
  inheritedDescriptor: number;
  /** In the environment of that process. */
  environmentMark: string;
  /** Of a process of the same user. */
  pid: number;
  /** Someone listens there on all addresses of the machine, and answers requests with BREACH. */
  port: number;
  /** Of an interface of the machine; the loopback where it has no other. */
  address: string;
  /** The name of an abstract Unix socket, and the path of another one. */
  abstractSocket: string;
  socketPath: string;
  sharedMemoryKey: number;
  hostname: string;
}

/** What shows that the attack works where nothing holds it. */
export type Control =
  /** A plain shell of the server's; another line where the way there is another one. */
  | { by: "outside"; line?: (targets: Targets) => string; isForRoot?: boolean }
  /** The same sandbox, where the agent may do it. */
  | { by: "another line"; line: (targets: Targets) => string }
  /** A sandbox whose limit is higher. */
  | { by: "looser limits"; limits: Partial<SandboxLimits> }
  /** A sandbox whose workspace is a plain bind. */
  | { by: "plain bind" }
  /** The sandbox that the attack is aimed at. */
  | { by: "the other sandbox" };

export interface Attack {
  name: string;
  line: (targets: Targets) => string;
  control: Control;
  limits?: Partial<SandboxLimits>;
  /** Held only where the probe says that this is enforced. */
  guarantee?: GuaranteeName;
}

export const breach = "BREACH";
/** In two halves: a shell that tells of a program's end quotes its line. */
export const shout = 'print "BREA", "CH"';

/** Succeeds where the line does. */
export const when = (line: string) => `if ${line}; then echo BREA""CH; fi 2>/dev/null`;
