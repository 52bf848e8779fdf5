// The address names a workspace that is gone, or is not for this person: nothing of another one is shown in its place.
import { Button } from "../kit/page/button.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { useWorkspace } from "../kit/server/workspace.ts";

export function NoSuchWorkspace() {
  const [{ workspace }, change] = useSearchState();
  const { id, workspaces } = useWorkspace();
  const own = workspaces.find((one) => one.id === id);
  return (
    <>
      <PageHeader title="No such workspace">
        <span className="wrap-anywhere">{workspace}</span> does not exist, is archived, or is not
        one that you work in.
      </PageHeader>
      {own && (
        <Button onClick={() => change({ workspace: id })}>
          Go on in <span dir="auto">{own.name}</span>
        </Button>
      )}
    </>
  );
}
