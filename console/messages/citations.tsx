// What a text leans on: the sources that a model names, each with the passage it means.
import { Quote } from "lucide-react";

interface Citation {
  type?: unknown;
  [field: string]: unknown;
}

export function Citations({ citations }: { citations: unknown }) {
  if (!Array.isArray(citations) || citations.length === 0) return null;
  return (
    <ul aria-label="Sources" className="mt-2 grid gap-1.5 border-l-2 border-line pl-3 text-sm">
      {(citations as Citation[]).map((citation, place) => (
        <li key={place} className="min-w-0">
          <p className="flex items-baseline gap-2 text-soft">
            <Quote size={13} aria-hidden className="shrink-0 translate-y-0.5" />
            <span className="min-w-0 wrap-anywhere">
              <span className="font-medium text-ink">{titleOf(citation)}</span> {placeIn(citation)}
            </span>
          </p>
          {typeof citation["cited_text"] === "string" && (
            <blockquote className="ml-5 line-clamp-3 text-soft wrap-anywhere">
              {citation["cited_text"]}
            </blockquote>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Its title where it has one; an address is shown and no link: a model wrote it. */
function titleOf(citation: Citation): string {
  const named = ["document_title", "title", "url", "source"]
    .map((field) => citation[field])
    .find((value) => typeof value === "string" && value !== "");
  return typeof named === "string" ? named : `Document ${Number(citation["document_index"]) + 1}`;
}

/** Ends are exclusive on the wire; pages count from 1, the rest from 0. */
function placeIn(citation: Citation): string {
  const at = (field: string) => Number(citation[field]);
  switch (citation.type) {
    case "page_location":
      return range("page", at("start_page_number"), at("end_page_number") - 1);
    case "char_location":
      return range("character", at("start_char_index") + 1, at("end_char_index"));
    case "content_block_location":
    case "search_result_location":
      return range("block", at("start_block_index") + 1, at("end_block_index"));
    default:
      return "";
  }
}

const range = (noun: string, first: number, last: number): string =>
  last > first ? `${noun}s ${first} to ${last}` : `${noun} ${first}`;
