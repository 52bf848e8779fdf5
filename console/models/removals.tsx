// Asks before a model or an upstream is taken out of the catalog.
import { confirm } from "../kit/dialog/confirmation.tsx";
import { api } from "../kit/server/api.ts";

export const removeModel = (id: string): void =>
  confirm({
    title: `Remove ${id}?`,
    label: "Remove",
    run: () => api.models.delete({ params: { model_id: id } }),
    done: `${id} is removed`,
    children: (
      <p>
        Requests that name it are answered 404 from now on; if it overrode a model that comes with
        Plinth, that one is back.
      </p>
    ),
  });

export const removeUpstream = (name: string): void =>
  confirm({
    title: `Remove ${name}?`,
    label: "Remove",
    run: () => api.upstreams.delete({ params: { upstream_name: name } }),
    done: `${name} is removed`,
    children: (
      <p>Its key is forgotten. Models that are asked there must be removed or moved first.</p>
    ),
  });
