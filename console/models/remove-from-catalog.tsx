// Asks before a model or an upstream is taken out of the catalog.
import { useMutation } from "@tanstack/react-query";
import { api } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export interface Removal {
  noun: "model" | "upstream";
  name: string;
}

export function RemoveFromCatalog({
  removal,
  onClose,
}: {
  removal: Removal | undefined;
  onClose: () => void;
}) {
  const remove = useMutation({
    mutationFn: ({ noun, name }: Removal) =>
      noun === "model"
        ? api.models.delete({ params: { model_id: name } })
        : api.upstreams.delete({ params: { upstream_name: name } }),
    onSuccess: (_, { name }) => {
      void queryClient.invalidateQueries();
      say.good(`${name} is removed`);
      onClose();
    },
  });
  function close(): void {
    remove.reset();
    onClose();
  }
  return (
    <Dialog
      open={removal !== undefined}
      onClose={close}
      title={`Remove ${removal?.name ?? ""}?`}
      description={
        removal?.noun === "upstream"
          ? "Its key is forgotten. Models that are asked there must be removed or moved first."
          : "Requests that name it are answered 404 from now on; if it overrode a model that comes with Plinth, that one is back."
      }
    >
      {remove.error !== null && <TroubleBox error={remove.error} />}
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button
          look="danger"
          busy={remove.isPending}
          onClick={() => removal !== undefined && remove.mutate(removal)}
        >
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  );
}
