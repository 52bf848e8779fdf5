// One way to the world for requests and tunnels: the policy first, by the host's name, then the addresses.
import type { lookup as systemLookup } from "node:dns";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { World } from "../../../kernel/context.ts";
import {
  type Answer,
  type Refusal,
  refusalOf,
  type RuledBy,
  ruledByEnvironment,
} from "./answers.ts";
import { dial, DialFailure } from "./dial.ts";
import { judge, type NetworkPolicy } from "./policy.ts";
import type { Authority } from "./secrets/authority.ts";
import {
  noSecrets,
  SandboxSecrets,
  type SecretsFor,
  type SecretSource,
} from "./secrets/secrets.ts";
import type { Target } from "./target.ts";

export interface DoorOptions {
  world: Pick<World, "clock" | "sections" | "logger">;
  /** Asked for each connection and each request; undefined where nobody can say just now. */
  policy(): Promise<NetworkPolicy | undefined>;
  onRefused(refusal: Refusal): void;
  /** The environment of the session, unless it is said. */
  ruledBy?: RuledBy;
  /** Asked for each connection and each request, where the sandbox has placeholders of secrets. */
  secrets?: { read: SecretSource; authority: Authority };
  /** See `lookUpsMax`. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Name resolution and addresses, where they are not the machine's own. */
  lookup?: typeof systemLookup;
  ownAddresses?: () => readonly string[];
  /** Whose word counts for hosts, where it is not the authorities that this machine trusts. */
  trusted?: SecureContext;
}

/** What one sandbox has open to the world, and may have. */
export interface Reach {
  options: DoorOptions;
  /** Aborts when the sandbox stops. */
  stopped: AbortSignal;
  /** Counts a request or a tunnel; undefined where there are too many already. */
  begin(): (() => void) | undefined;
  /** It ends with the sandbox, and when it is silent for long. */
  keep(socket: Socket): void;
  secretsFor(target: Target): Promise<SecretsFor | Answer>;
}

/** For `secretsFor` of each connection of one sandbox. */
export function findSecrets({ secrets }: DoorOptions): Reach["secretsFor"] {
  if (secrets === undefined) return async () => noSecrets;
  const known = new SandboxSecrets(secrets.read);
  return async ({ host }) => (await known.for(host)) ?? unknownPolicy;
}

/** What the sandbox is told where the policy does not allow it, as that is now. */
export async function judgeNow(reach: Reach, target: Target): Promise<Answer | undefined> {
  const policy = await reach.options.policy();
  if (policy === undefined) return unknownPolicy;
  const verdict = judge(policy, target);
  return verdict.isAllowed ? undefined : refuse(reach, { ...target, ...verdict });
}

/** A connection there, or what the sandbox is told. */
export async function connectTo(reach: Reach, target: Target): Promise<Socket | Answer> {
  const { options, stopped } = reach;
  const refusal = await judgeNow(reach, target);
  if (refusal !== undefined) return refusal;
  try {
    const socket = await dial(target, { ...options, signal: stopped });
    // What breaks later ends the other side, which listens for `close`.
    socket.on("error", () => {});
    reach.keep(socket);
    return socket;
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    if (error.reason === "address")
      return refuse(reach, { ...target, reason: "address", detail: error.message });
    return {
      status: error.reason === "timeout" ? 504 : 502,
      phrase: "Host not reached",
      sentence: `${target.host}:${target.port} ${error.message}`,
    };
  }
}

const unknownPolicy: Answer = {
  status: 503,
  phrase: "Not known just now",
  sentence: "What this sandbox may reach could not be read just now. Try again in a moment.",
};

export function refuse({ options }: Reach, refusal: Refusal): Answer {
  options.onRefused(refusal);
  return refusalOf(refusal, options.ruledBy ?? ruledByEnvironment);
}
