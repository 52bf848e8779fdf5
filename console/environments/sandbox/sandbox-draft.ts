// What an environment asks of sandboxes, as it stands in the form.
import type { SandboxFacts } from "../../kit/server/api.ts";
import {
  guaranteeNames,
  sizeNames,
  sizes,
  sizeText,
  type Asked,
  type GuaranteeName,
  type SizeName,
} from "./sandbox-words.ts";

export interface SandboxDraft {
  guarantees: GuaranteeName[];
  /** As typed; empty for what the settings give. */
  sizes: Record<SizeName, string>;
}

export const sandboxDraftOf = (asked: Asked | undefined): SandboxDraft => ({
  guarantees: asked?.guarantees ?? [],
  sizes: Object.fromEntries(
    sizeNames.map((name) => [name, asked?.[name]?.toString() ?? ""]),
  ) as SandboxDraft["sizes"],
});

/** What takes the place of all that was asked for before; empty asks for nothing. */
export function sandboxBodyOf(draft: SandboxDraft): Partial<Asked> {
  const named = sizeNames.filter((name) => draft.sizes[name].trim() !== "");
  return {
    ...(draft.guarantees.length > 0 && {
      guarantees: guaranteeNames.filter((name) => draft.guarantees.includes(name)),
    }),
    ...Object.fromEntries(named.map((name) => [name, Number(draft.sizes[name])])),
  };
}

export const asksForNothing = (draft: SandboxDraft): boolean =>
  Object.keys(sandboxBodyOf(draft)).length === 0;

/** Told while it is typed; `limits` once they are known. */
export function sizeFault(
  name: SizeName,
  typed: string,
  limits: SandboxFacts["limits"] | undefined,
): string | undefined {
  if (typed.trim() === "") return undefined;
  const size = Number(typed);
  const isWhole = name === "cpus" || Number.isInteger(size);
  if (!Number.isFinite(size) || !isWhole)
    return name === "cpus" ? "A number, such as 0.5." : "A whole number.";
  if (size < sizes[name].least) return `At least ${sizeText(name, sizes[name].least)}.`;
  const most = limits?.[name] ?? Infinity;
  return size > most ? `At most ${sizeText(name, most)}.` : undefined;
}
