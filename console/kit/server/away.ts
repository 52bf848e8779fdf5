// Whether the server answers: every request tells, and while it does not it is asked again and again.
/** What a request ends with that nobody answered; a bug of ours is a TypeError too, and none of these. */
export class NoAnswer extends TypeError {}

let away = false;
const listeners = new Set<() => void>();

function note(isAway: boolean): void {
  if (away === isAway) return;
  away = isAway;
  for (const listener of listeners) listener();
}

export const fetchNoting: typeof fetch = async (...asked) => {
  let response: Response;
  try {
    const { fetch: ask } = globalThis;
    response = await ask(...asked);
  } catch (error) {
    // The user stopped it, which says nothing about the server.
    if (!(error instanceof TypeError)) throw error;
    note(true);
    throw new NoAnswer(error.message, { cause: error });
  }
  // Our own answers bear their number: without one it is a proxy's, for a server that is not there.
  note(response.status >= 502 && !response.headers.has("request-id"));
  return response;
};

export const onAway = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const isAwayNow = () => away;
