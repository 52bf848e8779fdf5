// A credit token: what was refused, encrypted, so that nothing has to be stored and nothing can be changed.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { Actor } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";

/** A cache breakpoint of a request: the digest of its prefix, its class, and the tokens up to it. */
export interface CacheBreakpoint {
  hash: string;
  ttl: "5m" | "1h";
  tokens: number;
}

/** What a token holds: short names, because clients carry it. */
export interface Claims {
  id: string;
  /** The holder: organization, workspace (or caller), type of organization. */
  org: string;
  who: string;
  at: string;
  /** The refused model's id. */
  model: string;
  /** A digest for each field that must match. */
  fields: Record<string, string>;
  betas: string;
  /** Messages up to and with their closing assistant blocks, of which there are `tail`. */
  messages: string;
  turns: number;
  tail: number;
  /** The closing assistant turn was itself a continuation that a token had authorized. */
  continued: boolean;
  /** The partial answer; null: there is nothing to continue. */
  partial: string | null;
  /** Only the appended rung redeems. */
  appended: boolean;
  warm: readonly CacheBreakpoint[];
  mintedMs: number;
}

export type CreditContext = Pick<Actor, "who" | "clock" | "ids" | "secrets">;

const purpose = "fallbacks.credit";

export const encryptClaims = ({ secrets }: CreditContext, claims: Claims): string =>
  secrets.encrypt(JSON.stringify(claims), purpose);

/** Undefined for everything that this installation did not encrypt as a credit token. */
export function openClaims({ secrets }: CreditContext, token: string): Claims | undefined {
  if (token.length > limits.creditTokenCharactersMax) return undefined;
  let opened: Buffer;
  try {
    opened = secrets.decrypt(token, purpose);
  } catch {
    // The reason would tell a forger something and an honest caller nothing.
    return undefined;
  }
  return parseExactly(opened.toString()) as Claims;
}

/** A workspace, or the caller where there is none. */
export const tokenHolder = ({ who }: CreditContext): string =>
  who.workspaceId ?? `caller ${who.userId ?? who.credentialId}`;
