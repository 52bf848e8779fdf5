// A number that the log does not have, and why that may be.
import { SearchX } from "lucide-react";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { Button } from "../../kit/page/button.tsx";

export function NoSuchRequest({ id, retry }: { id: string; retry: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title="This request is not in the log"
      action={<Button onClick={retry}>Look again</Button>}
    >
      <p className="font-mono text-sm wrap-anywhere">{id}</p>
      <ul className="mt-3 grid list-disc gap-1 pl-5 text-left">
        <li>A request stands here only when it has ended, and a moment after.</li>
        <li>It is gone once it is older than requests are kept.</li>
        <li>
          A look at a page of this console, and what came without a credential, are in the server's
          own log alone.
        </li>
        <li>It may be another organization's.</li>
      </ul>
    </EmptyState>
  );
}
