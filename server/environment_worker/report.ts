// What a worker tells the person or program that started it: one line for each thing, for people or as JSON.
import type { Clock } from "../../kernel/base/clock.ts";

/** What is told, by its `type`, in the words of the JSON form. */
export type Report =
  | { type: "connected"; url: string; environment: string; worker: string; sandboxes: string }
  | { type: "took"; session: string; work: string }
  | { type: "ran"; session: string; tool: string; call: string; ms: number; is_error: boolean }
  | { type: "noted"; session: string; text: string }
  | { type: "sent"; session: string; tool: string; call: string }
  | { type: "dropped"; session: string; tool: string; call: string; reason: string }
  | { type: "done"; session: string; work: string; reason: string }
  | { type: "lost"; session: string; work: string; reason: string }
  | { type: "checked"; work: string }
  | { type: "refused"; session: string; host: string; port: number; reason: string }
  | { type: "removed"; session: string; reason: string }
  | { type: "waiting"; reason: string }
  | { type: "failed"; session?: string; reason: string }
  | { type: "stopping"; calls: number; seconds: number };

export type Tell = (report: Report) => void;

export function makeTeller(
  { write, note }: { write(text: string): void; note(text: string): void },
  { isJson, clock }: { isJson: boolean; clock: Clock },
): Tell {
  return (report) => {
    if (isJson) write(`${JSON.stringify({ at: clock.now().toISOString(), ...report })}\n`);
    else (isTrouble(report) ? note : write)(`${plain(sentenceOf(report))}\n`);
  };
}

const isTrouble = ({ type }: Report): boolean =>
  type === "waiting" || type === "failed" || type === "lost" || type === "stopping";

/** What a server says is shown, and steers no terminal. */
const plain = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]/gu, "\uFFFD");

const refusedWords: Readonly<Record<string, string>> = {
  host: "the host is not allowed",
  port: "the port is not allowed",
  address: "it leads to an address that is not allowed",
  spelling: "it is no host",
};

const counted = (calls: number) => (calls === 1 ? "1 call has" : `${calls} calls have`);

function sentenceOf(report: Report): string {
  switch (report.type) {
    case "connected":
      return `connected to ${report.url} as ${report.worker}, for ${report.environment}; sandboxes: ${report.sandboxes}`;
    case "took":
      return `${report.session} taken (${report.work})`;
    case "ran":
      return `${report.session} ran ${report.tool} ${report.ms} ms${report.is_error ? ", with an error" : ""}`;
    case "noted":
      return `${report.session} told its agent: ${report.text}`;
    case "sent":
      return `${report.session} sent the result of ${report.tool}`;
    case "dropped":
      return `${report.session} dropped the result of ${report.tool}: ${report.reason}`;
    case "done":
      return `${report.session} done: ${report.reason}`;
    case "lost":
      return `${report.session} lost: ${report.reason}`;
    case "checked":
      return `answered a check (${report.work})`;
    case "refused":
      return `${report.session} was not let to ${report.host}:${report.port}: ${refusedWords[report.reason] ?? report.reason}`;
    case "removed":
      return `${report.session} removed from this machine: ${report.reason}`;
    case "waiting":
      return report.reason;
    case "failed":
      return report.session === undefined ? report.reason : `${report.session}: ${report.reason}`;
    case "stopping":
      break;
  }
  return `stopping: ${counted(report.calls)} ${report.seconds} s to end; Ctrl-C again ends at once`;
}
