// Takes keys out of a text that a caller wrote and is about to read back, or that goes to the log.

const removed = "[redacted]";

/** All repetitions are bounded or cannot overlap what follows. */
export const keyPatterns: readonly (readonly [RegExp, string])[] = [
  // The hint that pages show (`abcd...wxyz`) may stay: it is how people name a key.
  [
    /\bsk-plinth-([a-z]{1,16})-(?![0-9A-Za-z]{4}\.\.\.[0-9A-Za-z]{4}(?![0-9A-Za-z_-]))[\w-]+/g,
    `sk-plinth-$1-${removed}`,
  ],
  [/\bsk-(?!plinth-)[\w-]{12,}/g, `sk-${removed}`],
];

export function redactKeys(text: string): string {
  if (!text.includes("sk-")) return text;
  return keyPatterns.reduce(
    (clean, [pattern, replacement]) => clean.replace(pattern, replacement),
    text,
  );
}
