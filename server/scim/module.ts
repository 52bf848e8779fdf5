// The face of SCIM.
import type { World } from "../../kernel/context.ts";
import { makeDispatch, type DispatchOptions } from "../../kernel/http/dispatch.ts";
import { prefix, protocolRoutes } from "./protocol.ts";
import { makeAuthentication } from "./console/tokens.ts";
import { wire } from "./wire.ts";

export { requestLogPart } from "./console/requests.ts";
export { pageStartsPart } from "./pages.ts";
export { pacePart } from "./protocol.ts";
export { routes } from "./console/routes.ts";
export { issueToken } from "./console/tokens.ts";

type DoorOptions = Pick<DispatchOptions, "proxies" | "onBegan" | "onAnswered" | "queueChange">;

export const isScim = (url: string | undefined): boolean => url?.startsWith(prefix) === true;

/** A mount beside the API's: other credentials, another content type, other errors, open inputs. */
export const makeScimDispatch = (world: World, options: DoorOptions) =>
  makeDispatch({
    ...options,
    routes: protocolRoutes,
    world,
    authentication: makeAuthentication(world),
    replyFormat: wire,
  });
