// What tools see of the sandbox that they run in.
import type { SandboxProvider } from "../provider.ts";

/** Of one session. */
export interface Sandbox {
  exec(request: Parameters<SandboxProvider["exec"]>[1]): ReturnType<SandboxProvider["exec"]>;
  /** Ends its shell and all that runs; files stay. */
  stop(): Promise<void>;
}
