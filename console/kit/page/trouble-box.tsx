// A failure where the thing would have been, with the number to quote and a way to try again.
import { TriangleAlert } from "lucide-react";
import { trouble } from "../server/errors.ts";
import { Button } from "./button.tsx";
import { RequestId } from "../server/request-id.tsx";

export function TroubleBox({
  error,
  retry,
  inFull = false,
}: {
  error: unknown;
  retry?: () => void;
  /** What an upstream said is of use here, whatever its status. */
  inFull?: boolean;
}) {
  const { sentence, requestId } = trouble(error, inFull);
  return (
    <div
      role="alert"
      className="flex flex-wrap items-start gap-3 rounded-lg bg-bad-soft p-3 text-bad"
    >
      <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">{sentence}</p>
        {requestId !== null && (
          <p className="text-sm wrap-anywhere">
            Request <RequestId id={requestId} />
          </p>
        )}
      </div>
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}
