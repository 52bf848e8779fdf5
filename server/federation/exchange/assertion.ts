// Assertions: parses a JWT, and checks whether a key of the issuer has signed it.
import { parseShallow, TooDeep } from "../../../kernel/base/json.ts";
import { repeatedName } from "../../../kernel/http/input/json-bytes.ts";
import { compactVerify, importJWK } from "jose";
import type { Claims } from "../rules/condition-tree.ts";
import { limits } from "../limits.ts";
import type { Jwk } from "../issuers/queries.ts";

export interface Assertion {
  text: string;
  alg: string;
  kid: string | undefined;
  claims: Claims;
}

/** The keys that each algorithm takes. No other algorithm is used, whatever a token asks for. */
const keysByAlgorithm: Readonly<Record<string, { kty: string; crv?: string }>> = {
  RS256: { kty: "RSA" },
  RS384: { kty: "RSA" },
  RS512: { kty: "RSA" },
  PS256: { kty: "RSA" },
  PS384: { kty: "RSA" },
  PS512: { kty: "RSA" },
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  ES512: { kty: "EC", crv: "P-521" },
  EdDSA: { kty: "OKP", crv: "Ed25519" },
  Ed25519: { kty: "OKP", crv: "Ed25519" },
};

/** Why a text cannot be an assertion: the end of a sentence. */
export function parseAssertion(text: string): Assertion | string {
  if (text.length > limits.assertionCharactersMax)
    return `has more than ${limits.assertionCharactersMax} characters`;
  const parts = text.split(".");
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part)))
    return "is not a signed JWT: three parts in base64url, with dots between";
  const [header, claims] = parts.slice(0, 2).map(readPart);
  if (typeof header === "string") return `has a header ${header}`;
  if (typeof claims === "string") return `has a payload ${claims}`;
  if (header === undefined || claims === undefined) return "is not a signed JWT";
  const { alg, kid, crit } = header;
  if (typeof alg !== "string" || !Object.hasOwn(keysByAlgorithm, alg))
    return `is signed with an algorithm that is not taken; these are: ${Object.keys(keysByAlgorithm).join(", ")}`;
  // A critical header must be understood, and this server understands none.
  if (crit !== undefined) return "has critical headers, of which none is understood";
  if (kid !== undefined && (typeof kid !== "string" || kid.length > limits.kidCharactersMax))
    return `has a kid that is no text of at most ${limits.kidCharactersMax} characters`;
  return { text, alg, kid: kid, claims };
}

function readPart(part: string): Claims | string {
  const bytes = Buffer.from(part, "base64url");
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = parseShallow(text);
  } catch (error) {
    return error instanceof TooDeep ? `that is ${error.message}` : "that is no JSON in UTF-8";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "that is no JSON object";
  // Of two fields of one name this server reads the last, other readers the first: they would see different tokens.
  if (repeatedName(bytes) !== undefined) return "with a name that comes twice";
  // No database stores these characters as text, and no honest token has them.
  if (/\\u0000/.test(text) || !isWellFormed(value)) return "with a character that no text has";
  return value as Claims;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, each]) => name.isWellFormed() && isWellFormed(each));
}

/** Keys that may have signed it: of its kid, where it has one and the issuer's keys have names. */
export function candidateKeys({ alg, kid }: Assertion, keys: readonly Jwk[]): Jwk[] {
  const wanted = keysByAlgorithm[alg];
  const fitting = keys.filter(
    (jwk) =>
      jwk["kty"] === wanted?.kty &&
      (wanted?.crv === undefined || jwk["crv"] === wanted.crv) &&
      (jwk["alg"] === undefined || jwk["alg"] === alg) &&
      (jwk["use"] === undefined || jwk["use"] === "sig") &&
      (!Array.isArray(jwk["key_ops"]) || jwk["key_ops"].includes("verify")),
  );
  const named = kid === undefined ? fitting : fitting.filter((jwk) => jwk["kid"] === kid);
  const nameless = kid === undefined ? [] : fitting.filter((jwk) => jwk["kid"] === undefined);
  return (named.length > 0 ? named : nameless).slice(0, limits.candidateKeysMax);
}

/** Rule FED14. The token's algorithm, if the key is for it: never another. */
export async function isSignedByOne(
  { text, alg }: Assertion,
  keys: readonly Jwk[],
): Promise<boolean> {
  for (const jwk of keys) {
    try {
      const key = await importJWK(jwk, alg);
      await compactVerify(text, key, { algorithms: [alg] });
      return true;
    } catch {
      // Any error in key or signature means that this key has not signed it.
    }
  }
  return false;
}
