// Archiving a workspace: what ends with it is said before.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { forgetWorkspaces, type Workspace } from "./workspaces.ts";
import { Button } from "../kit/page/button.tsx";
import { DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function ArchiveWorkspace({
  workspace,
  onClose,
}: {
  workspace: Workspace;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState("");
  const archive = useAct({
    mutationFn: () => api.workspaces.archive({ params: { workspace_id: workspace.id } }),
    onSuccess: () => {
      say.good(`${workspace.name} is archived`);
      forgetWorkspaces();
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    archive.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-2">
        <p>
          All of its API keys stop working: within a second their requests are answered 401, on
          every process of this server. Batches that run there are canceled.
        </p>
        <p>
          Its files and memory stores stay stored, and nobody reaches them any more: export first
          what somebody may need. An archived workspace never opens again; its past stays in the
          audit log and in usage.
        </p>
      </div>
      <TextField
        label={`Type ${workspace.name} to go on`}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
      {archive.error !== null && <TroubleBox error={archive.error} />}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button
          type="submit"
          look="danger"
          busy={archive.isPending}
          disabled={typed.trim() !== workspace.name.trim()}
        >
          Archive the workspace
        </Button>
      </DialogActions>
    </form>
  );
}
