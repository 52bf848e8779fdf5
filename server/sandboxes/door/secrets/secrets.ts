// Secrets that a sandbox does not have: inside is a placeholder for each, and the door puts the secret in its place on
// the way to the hosts that may have it.
import { RecentMap } from "../../../../kernel/base/recent-map.ts";
import { doorLimits } from "../limits.ts";
import { covers } from "../policy.ts";
import { Hiding } from "./hiding.ts";

export interface DoorSecret {
  /** Of letters, digits and `_`. */
  placeholder: string;
  value: string;
  /** As the environment has them; undefined: wherever the sandbox may connect to. */
  hosts: readonly string[] | undefined;
  places: { header: boolean; body: boolean };
  /** Asked each time before it goes to a host; false where it must not. */
  willBeUsed(host: string): Promise<boolean>;
}

/** What a sandbox has placeholders for, as it is now; undefined where they cannot be read. */
export type SecretSource = () => Promise<readonly DoorSecret[] | undefined>;

/** Of one host. */
export interface SecretsFor {
  all: readonly DoorSecret[];
  /** Undefined where there is nothing to hide. */
  hiding(): Hiding | undefined;
  /** Coded texts with a secret in them, which it is sent. */
  remember(sent: readonly string[]): void;
  willBeUsed(secret: DoorSecret): Promise<boolean>;
}

/** A host that may have none. */
export const noSecrets: SecretsFor = {
  all: [],
  hiding: () => undefined,
  remember: () => {},
  willBeUsed: async () => false,
};

/** Of one sandbox; the last ones that were sent, to any host. */
const sentMax = 64;
/** Of one sandbox: one for each set of secrets that hosts may have. */
const hidingsMax = 4;

export class SandboxSecrets {
  readonly #source: SecretSource;
  readonly #sent: string[] = [];
  readonly #hidings = new RecentMap<string, Hiding>(hidingsMax);

  constructor(source: SecretSource) {
    this.#source = source;
  }

  async for(host: string): Promise<SecretsFor | undefined> {
    const known = await this.#source();
    if (known === undefined) return undefined;
    const all = known.filter(({ hosts }) => hosts?.some((each) => covers(each, host)) ?? true);
    if (all.length === 0) return noSecrets;
    return {
      all,
      hiding: () => this.#hiding(all.map(({ value }) => value)),
      remember: (sent) => {
        this.#sent.push(...sent.filter((text) => !this.#sent.includes(text)));
        this.#sent.splice(0, this.#sent.length - sentMax);
      },
      willBeUsed: (secret) => secret.willBeUsed(host),
    };
  }

  #hiding(values: readonly string[]): Hiding {
    const key = [...values, "", ...this.#sent].join("\n");
    const hiding = this.#hidings.get(key) ?? new Hiding(values, this.#sent);
    this.#hidings.set(key, hiding);
    return hiding;
  }
}

/** What one request may still take in: a secret may be three hundred times as long as its placeholder. */
export class SecretRoom {
  #placeholders: number = doorLimits.placeholdersMax;
  #bytes: number = doorLimits.secretBytesMax;

  /** False where there is none for it. */
  take(bytes: number): boolean {
    this.#placeholders -= 1;
    this.#bytes -= bytes;
    return this.#placeholders >= 0 && this.#bytes >= 0;
  }
}
