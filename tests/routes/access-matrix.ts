// Calls every guarded route with every credential, once, and keeps the answers.
import type { Route } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import type { House } from "../house.ts";
import { anyPath, ask, type Answer } from "./ask.ts";
import {
  credentialsOfEveryKind,
  type CredentialHolder,
  type OrganizationCredentials,
} from "./every-credential.ts";

/** A query parameter that no route knows: a caller that gets so far is refused with 400, and nothing is done. */
export const probe = "tidy_unknown";

export const guarded = routes.filter(({ permission }) => permission !== null);

export const probeRoute = (
  url: string,
  { method, path, beta }: Route,
  player: Pick<CredentialHolder, "headers">,
) =>
  ask(url, {
    method,
    path: `${anyPath(path)}?${probe}=1`,
    caller: player,
    headers: beta === undefined ? {} : { "vendor-beta": beta.name },
  });

export interface AccessMatrix {
  scenes: readonly OrganizationCredentials[];
  of(route: Route, holder: CredentialHolder): Answer;
}

/** So many at a time: the answers of one process come no faster for more. */
const atOnce = 16;

export async function probeEveryRoute(house: House): Promise<AccessMatrix> {
  const scenes = await credentialsOfEveryKind(house);
  const players = scenes.flatMap((organization) => organization.holders);
  const answers = new Map<Route, Map<CredentialHolder, Answer>>(
    guarded.map((route) => [route, new Map()]),
  );
  const asking = guarded.flatMap((route) => players.map((holder) => ({ route, player: holder })));
  const queue = asking.values();
  const work = async () => {
    for (const { route, player: holder } of queue)
      answers.get(route)?.set(holder, await probeRoute(house.url, route, holder));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return {
    scenes,
    of: (route, holder) => {
      const answer = answers.get(route)?.get(holder);
      if (answer === undefined) throw new Error(`${route.operation} was not asked`);
      return answer;
    },
  };
}
