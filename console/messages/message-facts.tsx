// What is told of a message beside its content: why it was refused, its tokens, and which models worked on it.
import type { Message, StopDetails, Usage } from "../../client/messages/message.ts";
import { Fact } from "../kit/value/facts.tsx";
import { plural } from "../../client/text/words.ts";
import { spaced } from "../kit/value/words.ts";

export function Refusal({ details }: { details: StopDetails | null }) {
  const { category = null, explanation = null, recommended_model: instead } = details ?? {};
  return (
    <div role="note" aria-label="Refusal" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      <p className="font-medium">
        Refused{category === null ? "" : `: ${spaced(category).toLowerCase()}`}
      </p>
      {explanation !== null && <p className="wrap-anywhere">{explanation}</p>}
      {typeof instead === "string" && <p>Another model may take it: {instead}.</p>}
    </div>
  );
}

/** What it took and what it gave. */
export function Tokens({ usage, output }: { usage: Usage; output: string }) {
  const cached = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  return (
    <>
      <Fact name="Input">{plural(usage.input_tokens, "token")}</Fact>
      <Fact name="Output">{output}</Fact>
      {cached > 0 && <Fact name="Read from cache">{plural(cached, "token")}</Fact>}
      {written > 0 && <Fact name="Written to cache">{plural(written, "token")}</Fact>}
    </>
  );
}

/** Where more than one model worked on it, each with its own count. */
export function Hops({ message: { usage, model } }: { message: Message }) {
  const hops = usage.iterations ?? [];
  if (hops.length < 2) return null;
  return (
    <div className="w-full">
      <dt className="text-sm text-soft">By model</dt>
      {hops.map((hop, place) => (
        <dd key={place} className="text-sm">
          <span className="font-mono">{hop.model ?? model}</span>: {hop.input_tokens} in,{" "}
          {hop.output_tokens} out
        </dd>
      ))}
    </div>
  );
}
