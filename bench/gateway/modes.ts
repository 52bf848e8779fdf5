// What bench/gateway.ts asks for and its upstream gives, distinguished by max_tokens: every gateway passes that on.

export const modes = { whole: 1024, burst: 1025, paced: 1026, slow: 1027 } as const;
export type Mode = keyof typeof modes;

/** Deltas of one stream; five more events stand around them. */
export const eventsOf = { burst: 200, paced: 100, slow: 8 } as const;
export const pacedEventMs = 10;

/** What a client sends: the stream's fields first, so that the upstream finds them in the first bytes. */
export function bodyOf(mode: Mode, bytes: number): string {
  const turns = [];
  for (let left = bytes; left > 0; left -= 1_000)
    turns.push(
      { role: "user", content: [{ type: "text", text: "question ".repeat(55) }] },
      { role: "assistant", content: [{ type: "text", text: "an answer ".repeat(45) }] },
    );
  turns.push({ role: "user", content: "and now?" });
  const stream = mode === "whole" ? {} : { stream: true };
  return JSON.stringify({ model: "bench", max_tokens: modes[mode], ...stream, messages: turns });
}
