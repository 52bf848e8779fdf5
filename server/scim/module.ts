// The face of SCIM.
import type { World } from "../../kernel/context.ts";
import { makeDispatch, type Answered } from "../../kernel/http/dispatch.ts";
import { prefix, protocolRoutes } from "./protocol.ts";
import { makeAuthentication } from "./tokens.ts";
import { wire } from "./wire.ts";

export { keepRequests, type Requests } from "./requests.ts";
export { routes } from "./routes.ts";
export { issueToken } from "./tokens.ts";

interface DoorOptions {
  proxies: number;
  answered(facts: Answered): void;
}

export const isScim = (url: string | undefined): boolean => url?.startsWith(prefix) === true;

/** A door of its own beside the API's: other credentials, another content type, other errors, open inputs. */
export const makeDoor = (world: World, { proxies, answered }: DoorOptions) =>
  makeDispatch({
    routes: protocolRoutes,
    world,
    authentication: makeAuthentication(world),
    proxies,
    answered,
    wire,
  });
