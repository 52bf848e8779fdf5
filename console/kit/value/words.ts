// Names of the protocol in words for people.
import type { KeyStatus } from "../server/api.ts";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `sign_in_deleted` -> `Sign in deleted`. */
export const spaced = (name: string): string => capital(name.replaceAll(/[_.]+/g, " "));

export const statusWords: Record<KeyStatus, string> = {
  active: "Active",
  inactive: "Inactive",
  expired: "Expired",
  archived: "Archived",
};

export const organizationWords: Record<string, string> = {
  platform: "Platform organization",
  enterprise: "Enterprise organization",
  platform_cloud: "Cloud platform organization",
};

/** The ways in. */
export const methodWords: Record<string, string> = {
  password: "Password",
  password_and_passkey: "Password and passkey",
  passkey: "Passkey",
  single_sign_on: "Single sign-on",
  setup_link: "Set-up link",
};

/** A browser and system from a User-Agent; the whole header stands in the title. */
export function deviceWords(userAgent: string): string {
  if (userAgent === "") return "Unknown client";
  const pick = (table: [RegExp, string][]) => table.find(([sign]) => sign.test(userAgent))?.[1];
  const browser = pick([
    [/Edg\//, "Edge"],
    [/Firefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/Safari\//, "Safari"],
    [/curl\//, "curl"],
  ]);
  const system = pick([
    [/iPhone|iPad/, "iOS"],
    [/Android/, "Android"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "macOS"],
    [/Linux/, "Linux"],
  ]);
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Adding is no way to replace. */
export const takenBy = (noun: string, name: string): string =>
  `There is a${noun === "upstream" ? "n" : ""} ${noun} ${name} already: change that one, or choose another name.`;
