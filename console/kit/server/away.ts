// Whether the server answers: every request tells, and while it does not it is asked again and again.
import { sharedState } from "./shared-state.ts";

/** What a request ends with that nobody answered; a bug of ours is a TypeError too, and none of these. */
export class NoAnswer extends TypeError {}

export const away = sharedState(false);

export const fetchNoting: typeof fetch = async (...asked) => {
  let response: Response;
  try {
    const { fetch: ask } = globalThis;
    response = await ask(...asked);
  } catch (error) {
    // The user stopped it, which says nothing about the server.
    if (!(error instanceof TypeError)) throw error;
    away.set(true);
    throw new NoAnswer(error.message, { cause: error });
  }
  // Our own answers bear their number: without one it is a proxy's, for a server that is not there.
  away.set(response.status >= 502 && !response.headers.has("request-id"));
  return response;
};
