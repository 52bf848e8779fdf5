// Which workspace a page works in.
import type { useWorkspace } from "../server/workspace.ts";
import { FilterSelect } from "../form/field.tsx";

export function WorkspaceSelect({ workspace }: { workspace: ReturnType<typeof useWorkspace> }) {
  const { id = "", workspaces, choose } = workspace;
  return (
    <FilterSelect label="Workspace" value={id} onChange={({ target }) => choose(target.value)}>
      {workspaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </FilterSelect>
  );
}
