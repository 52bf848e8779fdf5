// The prompts of the workspace: opened, renamed and deleted; each with the versions it had.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { BookMarked } from "lucide-react";
import { useState } from "react";
import { api } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { confirm } from "../../kit/dialog/confirmation.tsx";
import { Dialog } from "../../kit/dialog/dialog.tsx";
import { useAct } from "../../kit/form/act.ts";
import { ActMenu } from "../../kit/list/act-menu.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { Button } from "../../kit/page/button.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { Name } from "../../kit/value/name.tsx";
import { Time } from "../../kit/value/time.tsx";
import { plural } from "../../../client/text/words.ts";
import { History, Pencil, Trash2 } from "lucide-react";
import type { MessageRequest } from "../../messages/conversation.ts";
import type { LoadedPrompt } from "../playground.ts";
import { forgetPrompts, promptQueries, readVersion } from "./prompts.ts";
import { renamePrompt } from "./save-prompt.tsx";

type Prompt = Awaited<ReturnType<typeof api.prompts.list>>["data"][number];
type OnOpen = (request: MessageRequest, prompt: LoadedPrompt) => void;

interface Props {
  workspace: string | undefined;
  onOpen: OnOpen;
  onClose: () => void;
}

export const PromptsDialog = ({ open, ...props }: Props & { open: boolean }) => (
  <Dialog
    open={open}
    onClose={props.onClose}
    title="Saved prompts"
    description="Shared with all who send messages in this workspace."
    wide
  >
    {open && <Prompts {...props} />}
  </Dialog>
);

function Prompts({ workspace, onOpen, onClose }: Props) {
  const list = useInfiniteQuery(promptQueries.list(workspace));
  const prompts = list.data?.pages.flatMap(({ data }) => data);
  return (
    <div className="grid gap-3">
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton rows={3} />}
      {prompts?.length === 0 && (
        <EmptyState icon={BookMarked} title="No saved prompts yet">
          Fill in a request and press Save: it is kept under a name, and each later save is a
          version of it.
        </EmptyState>
      )}
      {prompts !== undefined && prompts.length > 0 && (
        <ul aria-label="Saved prompts" className="grid divide-y divide-line">
          {prompts.map((prompt) => (
            <Line key={prompt.id} {...{ prompt, workspace, onOpen, onClose }} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <div>
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}

/** Reads one version, and puts it into the form. */
function useOpening(prompt: Prompt, { workspace, onOpen }: Pick<Props, "workspace" | "onOpen">) {
  return useAct({
    mutationFn: (version: number) => readVersion(workspace, prompt.id, version),
    onSuccess: ({ request, version }) =>
      onOpen(request as unknown as MessageRequest, { id: prompt.id, name: prompt.name, version }),
  });
}

function Line({ prompt, workspace, onOpen, onClose }: Props & { prompt: Prompt }) {
  const { id, name, version } = prompt;
  const [hasVersions, setVersions] = useState(false);
  const opening = useOpening(prompt, { workspace, onOpen });
  return (
    <li className="grid gap-2 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <div className="min-w-0 flex-1 basis-60">
          <p className="font-medium wrap-anywhere">{name}</p>
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-soft">
            <span>Version {version.toLocaleString("en")}</span>
            <Saved at={prompt.updated_at} by={prompt.updated_by} />
          </p>
        </div>
        <Button
          busy={opening.isPending}
          aria-label={`Open ${name}`}
          onClick={() => opening.mutate(version)}
        >
          Open
        </Button>
        <ActMenu
          label={`Change ${name}`}
          acts={[
            {
              label: hasVersions ? "Hide versions" : "Show versions",
              icon: History,
              run: () => setVersions(!hasVersions),
            },
            {
              label: "Rename",
              icon: Pencil,
              run: () => {
                onClose();
                renamePrompt(workspace, prompt);
              },
            },
            {
              label: "Delete",
              icon: Trash2,
              isBad: true,
              run: () => {
                onClose();
                remove(workspace, prompt);
              },
            },
          ]}
        />
      </div>
      {opening.error !== null && <TroubleBox error={opening.error} />}
      {hasVersions && <Versions {...{ prompt, workspace, onOpen, onClose }} key={id} />}
    </li>
  );
}

const Saved = ({ at, by }: { at: string; by: string | null }) => (
  <>
    <Time at={at} isShort />
    {by !== null && (
      <span className="inline-flex min-w-0 items-center gap-1">
        by <Name id={by} />
      </span>
    )}
  </>
);

function Versions({ prompt, workspace, onOpen }: Props & { prompt: Prompt }) {
  const { data, error, refetch } = useQuery(promptQueries.versions(workspace, prompt.id));
  const opening = useOpening(prompt, { workspace, onOpen });
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  if (data === undefined) return <RowsSkeleton rows={2} />;
  return (
    <ol
      aria-label={`Versions of ${prompt.name}`}
      className="grid gap-1 border-l-2 border-line pl-3"
    >
      {data.data.map(({ version, model, created_at, created_by }) => (
        <li key={version} className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
          <span className="font-medium">Version {version}</span>
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 text-soft">
            <Name id={model} kind="model" />
            <Saved at={created_at} by={created_by} />
          </span>
          <Button
            look="quiet"
            aria-label={`Open version ${version} of ${prompt.name}`}
            onClick={() => opening.mutate(version)}
          >
            Open
          </Button>
        </li>
      ))}
      {opening.error !== null && <TroubleBox error={opening.error} />}
    </ol>
  );
}

const remove = (workspace: string | undefined, { id, name, version }: Prompt): void =>
  confirm({
    title: `Delete ${name}?`,
    label: "Delete the prompt",
    keep: "Keep it",
    run: () => api.prompts.delete({ params: { prompt_id: id }, headers: inWorkspace(workspace) }),
    done: `${name} is deleted`,
    renew: forgetPrompts,
    failed: forgetPrompts,
    children: (
      <p>
        {plural(version, "version")} of it {version === 1 ? "is" : "are"} gone for all of the
        workspace. This cannot be undone.
      </p>
    ),
  });
