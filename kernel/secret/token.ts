// Secrets that this server hands out and recognises by their hash.
import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Random } from "../base/random.ts";

export const secretPrefixes = {
  api: "sk-plinth-api-",
  admin: "sk-plinth-admin-",
  access: "sk-plinth-oat-",
  refresh: "sk-plinth-ort-",
  environment: "sk-plinth-env-",
  session: "sk-plinth-ses-",
  scim: "sk-plinth-scim-",
} as const;

export type SecretKind = keyof typeof secretPrefixes;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomBytes = 32;
/** 62^43 > 2^256 and 62^6 > 2^32. */
const randomCharacters = 43;
const checksumCharacters = 6;
const secretPattern = /^(sk-plinth-[a-z]+-)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** 256 random bits and a checksum, so that a mistyped key is told from an unknown one without a database. */
export function newSecret(prefix: string, random: Random): string {
  const body =
    prefix + base62(BigInt(`0x${random.bytes(randomBytes).toString("hex")}`), randomCharacters);
  return body + checksumOf(body);
}

/** The kind that a text claims to be, or undefined when it is no secret of this server or was mistyped. */
export function secretKind(text: string): SecretKind | undefined {
  const [, prefix = "", body = "", checksum = ""] = secretPattern.exec(text) ?? [];
  if (checksumOf(prefix + body) !== checksum) return undefined;
  for (const [kind, known] of Object.entries(secretPrefixes))
    if (known === prefix) return kind as SecretKind;
  return undefined;
}

/** What is stored. The secrets are random, so a plain hash cannot be guessed backwards. */
export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** The same in Latin-1, for a map: without a buffer it takes half as long. */
export const hashSecretAsText = (secret: string): string => hash("sha256", secret, "latin1");

/** In a time that tells nothing of where they differ, nor of how long the right one is. */
export const isSameSecret = (given: string, right: string): boolean =>
  timingSafeEqual(hashSecret(given), hashSecret(right));

/** Enough to tell one's own keys apart: `sk-plinth-api-abcd...wxyz`. */
export function secretHint(secret: string): string {
  const prefix = /^sk-plinth-[a-z]+-/.exec(secret)?.[0] ?? "";
  const body = secret.slice(prefix.length);
  return body.length < 16 ? `${prefix}...` : `${prefix}${body.slice(0, 4)}...${body.slice(-4)}`;
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), checksumCharacters);
}

function base62(value: bigint, width: number): string {
  let text = "";
  for (let rest = value, i = 0; i < width; i++, rest /= 62n)
    text = alphabet[Number(rest % 62n)] + text;
  return text;
}
