// Doors whose policy stays as it is: of programs beside a server, and of what the settings of a server name.
import { makeKeyedQueues } from "../../../kernel/base/keyed-queues.ts";
import type { SandboxNetwork } from "../provider.ts";
import type { Refusal } from "./answers.ts";
import { makeDoor } from "./door.ts";
import { doorLimits } from "./limits.ts";
import type { NetworkPolicy } from "./policy.ts";
import type { DoorOptions } from "./reach.ts";

interface FixedDoors extends Pick<DoorOptions, "world" | "ruledBy"> {
  policy: NetworkPolicy;
  /** Once for each host that sandboxes of one owner are refused. */
  onRefused(refusal: Refusal, owner: string): void;
}

/** One for each sandbox, by whose it is. */
export function makeFixedDoors({
  policy,
  onRefused,
  ...options
}: FixedDoors): (owner: string) => SandboxNetwork {
  const lookUps = makeKeyedQueues(doorLimits.lookUpsMax);
  const told = new Set<string>();
  return (owner) =>
    makeDoor({
      ...options,
      policy: () => Promise.resolve(policy),
      onRefused(refusal) {
        const key = `${owner} ${refusal.host}:${refusal.port}`;
        if (told.has(key) || told.size >= doorLimits.refusalsToldMax) return;
        told.add(key);
        onRefused(refusal, owner);
      },
      inTurn: (work) => lookUps.run("all", work),
    });
}
