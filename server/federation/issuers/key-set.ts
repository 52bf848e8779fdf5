// Key sets: which keys of an issuer are accepted, and how they are fetched.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { parseShallow } from "../../../kernel/base/json.ts";
import { invalid } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { fetchOutside } from "../../../kernel/http/outside/fetch.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { limits } from "../limits.ts";
import type { IssuerRow, Jwk } from "./queries.ts";

/** Why the fetch failed: a sentence for the issuer's administrators. */
export class KeySetFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KeySetFailure";
  }
}

const curves: readonly unknown[] = ["P-256", "P-384", "P-521"];

/** Why a key cannot verify signatures; undefined when it can. */
export function keyProblem(jwk: Jwk): string | undefined {
  const { kty, kid } = jwk;
  if (kid !== undefined && (typeof kid !== "string" || kid.length > limits.kidCharactersMax))
    return `has a kid that is no text of at most ${limits.kidCharactersMax} characters`;
  switch (kty) {
    case "RSA":
      return bitsOf(jwk["n"]) < limits.rsaBitsMin
        ? `is an RSA key of less than ${limits.rsaBitsMin} bits`
        : undefined;
    case "EC":
      return curves.includes(jwk["crv"]) ? undefined : "is on a curve that is not known";
    case "OKP":
      return jwk["crv"] === "Ed25519" ? undefined : "is on a curve that is not known";
    default:
      return "is of a type that signs no tokens here: RSA, EC and OKP do";
  }
}

function bitsOf(modulus: unknown): number {
  if (typeof modulus !== "string") return 0;
  const bytes = Buffer.from(modulus, "base64url");
  const start = bytes.findIndex((byte) => byte !== 0);
  const first = bytes[start];
  return first === undefined ? 0 : (bytes.length - start) * 8 - Math.clz32(first) + 24;
}

/** Members that only a private or symmetric key has. */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "k", "oth"];

/** Rule FED3. */
export function expectInlineKeys(keys: readonly Jwk[]): void {
  for (const [index, jwk] of keys.entries()) {
    const secret = privateMembers.find((member) => member in jwk);
    if (secret !== undefined)
      throw invalid(
        `jwks.keys[${index}]: holds ${secret}, which only the owner of the key may have. Give the public key, and make a new pair: this one was shown.`,
      );
    const problem = keyProblem(jwk);
    if (problem !== undefined) throw invalid(`jwks.keys[${index}]: ${problem}.`);
  }
}

/** Rule FED2: the usable keys of an issuer's key set. */
export async function fetchKeys(
  world: Pick<World, "sections" | "outside">,
  issuer: Pick<IssuerRow, "issuer_url" | "jwks">,
): Promise<Jwk[]> {
  const { jwks } = issuer;
  if (jwks.type === "inline") return jwks.keys;
  const caCertPem = jwks.ca_cert_pem ?? undefined;
  const url =
    jwks.type === "explicit_url"
      ? jwks.url
      : await discover(world, issuer, jwks.discovery_base, caCertPem);
  const set = await fetchJson(world, url, limits.keySetBytesMax, caCertPem);
  const { keys } = set as { keys?: unknown };
  if (!Array.isArray(keys)) throw new KeySetFailure(`${url} has no list of keys.`);
  if (keys.length > limits.keysMax)
    throw new KeySetFailure(`${url} has more than ${limits.keysMax} keys.`);
  const good = (keys as unknown[]).filter(isJwk).filter((jwk) => keyProblem(jwk) === undefined);
  if (good.length === 0) throw new KeySetFailure(`${url} has no key that may sign tokens here.`);
  return good.map(publicPart);
}

const isJwk = (value: unknown): value is Jwk =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Only these members are stored: certificates and addresses in a key are ignored. */
const publicPart = ({ kty, kid, use, key_ops, alg, n, e, crv, x, y }: Jwk): Jwk =>
  parseExactly(JSON.stringify({ kty, kid, use, key_ops, alg, n, e, crv, x, y })) as Jwk;

async function discover(
  world: Pick<World, "sections" | "outside">,
  { issuer_url }: Pick<IssuerRow, "issuer_url">,
  base: string | null | undefined,
  caCertPem: string | undefined,
): Promise<string> {
  const url = `${(base ?? issuer_url).replace(/\/+$/, "")}/.well-known/openid-configuration`;
  const document = await fetchJson(world, url, limits.discoveryBytesMax, caCertPem);
  const { issuer, jwks_uri } = document as { issuer?: unknown; jwks_uri?: unknown };
  if (issuer !== issuer_url)
    throw new KeySetFailure(`${url} is the document of another issuer than ${issuer_url}.`);
  if (typeof jwks_uri !== "string") throw new KeySetFailure(`${url} has no jwks_uri.`);
  return jwks_uri;
}

async function fetchJson(
  world: Pick<World, "sections" | "outside">,
  url: string,
  bytesMax: number,
  caCertPem: string | undefined,
): Promise<object> {
  const shown = url.slice(0, limits.urlCharactersMax);
  const headers = { accept: "application/json" };
  const ask = { bytesMax, timeoutMs: limits.fetchMs, caCertPem, headers };
  const { status, body } = await fetchOutside(world, url, ask).catch((error: unknown) => {
    if (error instanceof OutsideFailure) throw new KeySetFailure(`${shown} ${error.message}`);
    throw error;
  });
  if (status !== 200) throw new KeySetFailure(`${shown} answered with the status ${status}.`);
  try {
    const value = parseShallow(body.toString("utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below, like JSON that is no object.
  }
  throw new KeySetFailure(`${shown} is no JSON object.`);
}
