// How a sentence names a field: `messages.0.content`. Names may be the caller's own: short, and on one line.

const charactersMax = 40;

export const fieldPath = (path: readonly (string | number)[]): string =>
  path.map((step) => fieldName(String(step))).join(".");

export function fieldName(name: string): string {
  if (name === "") return '""';
  const shown = name.length > charactersMax ? `${name.slice(0, charactersMax)}…` : name;
  return shown.replaceAll(/[^\x20-\x7e…]/gu, "?");
}
