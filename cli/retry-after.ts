// Requests that a limit holds back for a while: says what is waited for and how long, waits, and asks again.
import { escapeControls } from "./print-answer.ts";
import type { Terminal } from "./terminal.ts";

/** A longer wait is for the person to decide: the refusal is told, and the command ends. */
const secondsMax = 120;
/** Of one request: each time another one may have taken what was free. */
const waitsMax = 5;

/** `fetch` that waits out a 429 which says for how long. What was sent as a stream cannot be sent again. */
export function waitingFetch(terminal: Terminal, ask: typeof fetch): typeof fetch {
  let toldUntilMs = -Infinity;
  /** Of several requests that wait for the same, one says so. */
  const tell = (sentence: string, seconds: number) => {
    const untilMs = terminal.clock.monotonicMs() + seconds * 1_000;
    if (untilMs - toldUntilMs < 1_000) return;
    toldUntilMs = untilMs;
    const { isPerson, env, note, dim } = terminal;
    // A progress bar may stand there.
    if (isPerson.notes && env["TERM"] !== "dumb") note("\r\u001b[K");
    note(`${dim(`${sentence} Waiting ${seconds} s, then asking again.`)}\n`);
  };
  return async (input, init) => {
    for (let waits = 0; ; waits++) {
      const response = await ask(input, init);
      const seconds = secondsToWait(response);
      if (seconds === undefined || waits === waitsMax || init?.body instanceof ReadableStream)
        return response;
      tell(sentenceOf(await response.text()), seconds);
      // An interrupted wait asks once more, and the interrupted signal ends that request.
      await terminal.clock.sleep(seconds * 1_000, init?.signal ?? undefined);
    }
  };
}

function secondsToWait({ status, headers }: Response): number | undefined {
  if (status !== 429 || headers.get("x-should-retry") === "false") return undefined;
  const text = headers.get("retry-after");
  return text !== null && /^\d+$/.test(text) && Number(text) <= secondsMax
    ? Math.max(1, Number(text))
    : undefined;
}

function sentenceOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    if (typeof error?.message === "string" && error.message !== "")
      return escapeControls(error.message);
  } catch {
    // A page of a proxy in between says nothing to a person here.
  }
  return "The server takes no more requests for now.";
}
