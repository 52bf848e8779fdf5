// Digests of parsed trees: the order of keys and the spelling of numbers make no difference.
import { hash } from "node:crypto";

/** The tree as text, keys sorted. */
export const canonical = (value: unknown): string => write(value, false);

/** The same without `cache_control` and without nulls: what a conversation says, not how it was sent. */
export const canonicalContent = (value: unknown): string => write(value, true);

function write(value: unknown, essential: boolean): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) {
    let items = "";
    for (const item of value) items += (items === "" ? "" : ",") + write(item, essential);
    return `[${items}]`;
  }
  const fields = value as Record<string, unknown>;
  let text = "";
  for (const key of Object.keys(fields).sort()) {
    const field = fields[key];
    if (field === undefined) continue;
    if (essential && (field === null || key === "cache_control")) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${write(field, essential)}`;
  }
  return `{${text}}`;
}

/** 256 bits: a key in a table. */
export const digest = (text: string): string => hash("sha256", text, "base64url");

/** 128 bits: enough where a forger needs a second text with the same digest, not any two texts. */
export const shortDigest = (text: string): string => digest(text).slice(0, 22);

/** 48 bits: tells the blocks of one answer apart. */
export const tinyDigest = (text: string): string => digest(text).slice(0, 8);
