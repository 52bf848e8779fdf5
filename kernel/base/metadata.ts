// Metadata: the texts that clients hang on their things, by keys of their own.
import { invalid } from "./failure.ts";
import { limits } from "./limits.ts";

export type Metadata = Record<string, string>;

/** Values are held to their length by the schema. */
export function expectMetadata(metadata: Metadata): Metadata {
  const keys = Object.keys(metadata);
  const charactersMax = limits.metadataKeyCharactersMax;
  if (keys.some((key) => key === "" || Array.from(key).length > charactersMax))
    throw invalid(`metadata: each key must have 1 to ${charactersMax} characters.`);
  const pairs = keys.length;
  if (pairs > limits.metadataPairsMax)
    throw invalid(
      `metadata: must have at most ${limits.metadataPairsMax} keys; it would have ${pairs}. Set a key to null to remove it.`,
    );
  return metadata;
}

/** A key that is null goes; one that is not named stays. */
export function patchedMetadata(
  before: Metadata,
  patch: Readonly<Record<string, string | null>> | null = null,
): Metadata {
  const merged = Object.entries({ ...before, ...patch });
  const kept = merged.filter((pair): pair is [string, string] => pair[1] !== null);
  return expectMetadata(Object.fromEntries(kept));
}
