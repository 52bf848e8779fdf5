// What is said first in a session, on its way from the form that began it to the page that sends it.
const kept = new Map<string, string>();

export function keepFirstMessage(session: string, text: string): void {
  const said = text.trim();
  if (said !== "") kept.set(session, said);
}

export const firstMessageOf = (session: string): string | undefined => kept.get(session);

/** It is sent once, whatever comes of that. */
export function takeFirstMessage(session: string): string | undefined {
  const text = kept.get(session);
  kept.delete(session);
  return text;
}
