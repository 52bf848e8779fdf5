// What was said in a request, where its workspace keeps that: read when a person asks for it, for each look is noted.
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Eye, SquareTerminal } from "lucide-react";
import type { RequestBody } from "../../../contract/types.ts";
import { Button } from "../../kit/page/button.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { ApiError, server, type LoggedRequest } from "../../kit/server/api.ts";
import { useMe, useServerUrl } from "../../kit/server/queries.ts";
import { CopyButton } from "../../kit/value/copy-button.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { Code } from "../../kit/value/snippet.tsx";
import { Time } from "../../kit/value/time.tsx";
import { handToPlayground, requestIn } from "../../messages/handed.ts";
import { curlWith } from "./request-curl.ts";

export function Said({ request: { id, operation } }: { request: LoggedRequest }) {
  const { permissions } = useMe();
  // No query: what is read again by itself would be noted as another look.
  const look = useMutation({
    mutationFn: () => server.request_bodies.retrieve({ params: { request_id: id } }),
    gcTime: 0,
  });
  if (!permissions.includes("request_bodies:read") || operation !== "messages.create") return null;
  const { data: body, error } = look;
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <Section
      title="What was said"
      note="Kept where the workspace says so. Each look stands in the audit log, with your name."
    >
      {body === undefined && !isMissing && (
        <Button busy={look.isPending} onClick={() => look.mutate()}>
          <Eye size={16} aria-hidden />
          Look at what was said
        </Button>
      )}
      {error !== null && !isMissing && (
        <div className="mt-3">
          <TroubleBox error={error} retry={() => look.mutate()} />
        </div>
      )}
      <div role="status">
        {isMissing && (
          <p>
            Nothing is kept of it: the workspace did not keep what was said then, or its time is
            over.
          </p>
        )}
        {body?.request === null && (
          <p>It was not kept: too much waited to be written at that time.</p>
        )}
      </div>
      {body !== undefined && body.request !== null && <Parts body={body} />}
    </Section>
  );
}

type Part = NonNullable<RequestBody["request"]>;

function Parts({ body }: { body: RequestBody }) {
  const { request, answer, error, ended } = body;
  return (
    <div className="grid gap-4">
      <p className="text-sm text-soft">
        {ended === "client_left" && "The client left before the answer was complete. "}
        It is deleted <Time at={body.expires_at} />.
      </p>
      {request !== null && <OnePart name="Request" part={request} />}
      {request !== null && <Again request={request} />}
      {answer !== null && <OnePart name="Answer" part={answer} />}
      {error !== null && <OnePart name="Error" part={error} />}
    </div>
  );
}

function OnePart({ name, part }: { name: string; part: Part }) {
  const { text, is_cut: isCut, bytes } = part;
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 font-medium">
        {name}{" "}
        <span className="font-normal text-soft">
          {isCut && text !== null ? `the beginning of ${bytesText(bytes)}` : bytesText(bytes)}
        </span>
      </h3>
      {text === null ? (
        <p>It was too long to be kept.</p>
      ) : (
        <div className="max-h-[70dvh] overflow-y-auto">
          <Code code={isCut ? text : prettyJson(text)} label={name} />
        </div>
      )}
    </div>
  );
}

const prettyJson = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);

/** The same by hand, and as a command: with all that was said, where all of it was kept. */
function Again({ request: { text, is_cut: isCut } }: { request: Part }) {
  const url = useServerUrl();
  const navigate = useNavigate();
  const { permissions } = useMe();
  if (text === null || isCut)
    return <p className="text-soft">It cannot be asked again from here: it is not all there.</p>;
  const request = requestIn(text);
  return (
    <div className="flex flex-wrap gap-2">
      <CopyButton text={curlWith(prettyJson(text), url)} label="Copy as curl, with what was said" />
      {request !== undefined && permissions.includes("messages:use") && (
        <Button
          onClick={() => {
            handToPlayground(request);
            void navigate({ to: "/playground", search: { model: request.model } });
          }}
        >
          <SquareTerminal size={16} aria-hidden />
          Open all of it in the playground
        </Button>
      )}
    </div>
  );
}
