// A page whose code comes when it is first opened.
import { use, type ComponentType } from "react";
import { api, ApiError } from "../server/api.ts";

/** A TypeError, as every other request that was not answered. */
export class PageMissing extends TypeError {}

/** The router's own reloads the tab when the code does not come, which loses it while the server is down. */
export function lazyPage(load: () => Promise<{ Page: ComponentType }>) {
  let Page: ComponentType | undefined;
  let failure: unknown;
  let loading: Promise<void> | undefined;
  const fetchPage = async () => {
    try {
      ({ Page } = await load());
    } catch (cause) {
      // Code that came and broke is no news of the server.
      failure =
        cause instanceof TypeError
          ? new PageMissing("the code of the page did not come", { cause })
          : cause;
    }
  };
  const preload = (): Promise<void> => (loading ??= fetchPage());
  function Lazy() {
    if (Page !== undefined) return <Page />;
    if (failure !== undefined) throw failure;
    use(preload());
    return null;
  }
  return Object.assign(Lazy, { preload });
}

/** A browser does not ask again for code that once did not come: a new start does, as soon as the server answers. */
export async function startAnew(): Promise<void> {
  try {
    await api.me();
  } catch (error) {
    // Whatever it answers, it answers; else what the page says is still so.
    if (!(error instanceof ApiError)) return;
  }
  window.location.reload();
}
