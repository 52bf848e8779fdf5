// Rule TRC2: the span of each HTTP request, begun with its head and ended with its answer; and those of jobs.
import { requestNote } from "../../kernel/base/request-notes.ts";
import type { AnsweredRequest, BegunRequest } from "../../kernel/http/exchange/exchange.ts";
import { single } from "../../kernel/http/wire/dialect.ts";
import type { Instruments } from "../../kernel/observe/instruments.ts";
import type { Span, Tracer } from "../../kernel/observe/tracing/tracer.ts";

export interface RequestSpans {
  began(request: BegunRequest): void;
  answered(facts: AnsweredRequest): void;
}

const spanNote = requestNote<Span>("span");

/** Undefined where traces are off: then nothing is asked of a request. */
export function makeRequestSpans(tracer: Tracer | undefined): RequestSpans | undefined {
  if (tracer === undefined) return undefined;
  return {
    began: ({ requestId, notes, request }) => {
      const traceparent = single(request.headers["traceparent"]);
      const span = tracer.begin({ name: "request", kind: "server", id: requestId, traceparent });
      spanNote.set(notes, span);
    },
    answered: ({ requestId, notes, method, operation, status, who }) => {
      spanNote.of(notes)?.end({
        name: `${method} ${operation}`,
        attributes: {
          "http.request.method": method,
          "http.response.status_code": status,
          "plinth.operation": operation,
          "plinth.request_id": requestId,
          "plinth.organization_id": who?.organizationId,
          "plinth.workspace_id": who?.workspaceId ?? undefined,
        },
        error: status >= 500 ? String(status) : undefined,
      });
    },
  };
}

/** Of a run that has ended: counted, and a span where there are traces. */
export function noteJobRun(
  { tracer, jobsFinished, jobSeconds }: Pick<Instruments, "tracer" | "jobsFinished" | "jobSeconds">,
  kind: string,
  how: "done" | "failed" | "dropped",
  seconds: number,
): void {
  jobsFinished.with(kind, how).inc();
  jobSeconds.with(kind).observe(seconds);
  const attributes = { "plinth.job.kind": kind, "plinth.job.outcome": how };
  tracer
    ?.begin({ name: `job ${kind}`, kind: "internal", afterSeconds: seconds })
    .end({ attributes, error: how === "failed" ? how : undefined });
}
