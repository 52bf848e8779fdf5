// Secrets that a sandbox does not have: inside is a placeholder for each, and the door puts the secret in its place on
// the way to the hosts that may have it.
import { covers } from "../policy.ts";

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

/** What a sandbox has placeholders for, as it is now; undefined where nobody can say. */
export type SecretSource = () => Promise<readonly DoorSecret[] | undefined>;

/** Of one host. */
export interface SecretsFor {
  all: readonly DoorSecret[];
  /** Coded texts with a secret in them, which it was sent. */
  sent: readonly string[];
  remember(sent: readonly string[]): void;
  willBeUsed(secret: DoorSecret): Promise<boolean>;
}

/** A host that may have none. */
export const noSecrets: SecretsFor = {
  all: [],
  sent: [],
  remember: () => {},
  willBeUsed: async () => false,
};

/** Of one sandbox; the last ones that were sent, whoever they were sent to. */
const sentMax = 64;

export class SandboxSecrets {
  readonly #source: SecretSource;
  readonly #sent: string[] = [];

  constructor(source: SecretSource) {
    this.#source = source;
  }

  async for(host: string): Promise<SecretsFor | undefined> {
    const all = await this.#source();
    if (all === undefined) return undefined;
    return {
      all: all.filter(({ hosts }) => hosts?.some((allowed) => covers(allowed, host)) ?? true),
      sent: this.#sent,
      remember: (sent) => {
        this.#sent.push(...sent.filter((text) => !this.#sent.includes(text)));
        this.#sent.splice(0, this.#sent.length - sentMax);
      },
      willBeUsed: (secret) => secret.willBeUsed(host),
    };
  }
}

/** As it stands in a message: HTTP has bytes, which Node.js shows as letters of ISO 8859-1. */
export const asBytes = (text: string): string => Buffer.from(text).toString("latin1");

/** Shorter ones are parts of too many other words to be hidden wherever they stand. */
const hiddenBytesMin = 6;

/** How a secret may come back: as it is, and as programs write it into texts of JSON, addresses and base 64. */
export function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value);
  const forms = [
    value,
    // HTTP takes blanks away at both ends.
    value.trim(),
    json,
    json.replaceAll("/", String.raw`\/`),
    percent,
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    percent.replaceAll("%20", "+"),
    ...insideBase64(Buffer.from(value)),
  ].map(asBytes);
  return [...new Set(forms)].filter((form) => form.length >= hiddenBytesMin);
}

/** What is the same of it whatever stands before and after: it begins at each of three places. */
function insideBase64(bytes: Buffer): string[] {
  const codes = [0, 1, 2].map((before) => {
    const code = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const first = Math.ceil((before * 8) / 6);
    return code.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
  });
  return codes.flatMap((code) => [code, code.replaceAll("-", "+").replaceAll("_", "/")]);
}

/** Of the same length, so that what tells of the length stays true. */
export const maskOf = (form: string): string => "*".repeat(form.length);

export function hideIn(text: string, forms: readonly string[]): string {
  let hidden = text;
  for (const form of forms) hidden = hidden.replaceAll(form, maskOf(form));
  return hidden;
}

/** Names of headers are the same in capitals and small letters. */
export function hideInName(name: string, forms: readonly string[]): string {
  const small = name.toLowerCase();
  return forms.some((form) => small.includes(form.toLowerCase())) ? maskOf(name) : name;
}
