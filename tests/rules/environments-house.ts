// What the tests of environments share: calls, with the beta that the routes want.
import assert from "node:assert/strict";
import type { Environment, EnvironmentKey } from "../../server/environments/schema.ts";
import type { Answer, Ask, House } from "../house.ts";
import { queryOf, type Page } from "./memory-house.ts";

export const environmentsPath = "/v1/environments";
export const managedAgents = { "vendor-beta": "managed-agents-2026-04-01" };
export type { Environment, EnvironmentKey };
export type NewKey = EnvironmentKey & { secret: string };

/** Calls as the platform's workspace unless another key or cookie is given; each but `call` must succeed. */
export function environmentsOf(houseOf: () => House) {
  const call = (method: string, path: string, asking: Ask = {}): Promise<Answer> => {
    const { headers, ...rest } = asking;
    const key = houseOf().organizations.platform.api_key;
    const credential = rest.key === undefined && rest.cookie === undefined ? { key } : {};
    return houseOf().ask(method, environmentsPath + path, {
      ...credential,
      ...rest,
      headers: { ...managedAgents, ...headers },
    });
  };
  const good = async <T = Environment>(
    method: string,
    path: string,
    asking: Ask = {},
  ): Promise<T> => {
    const { status, body } = await call(method, path, asking);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body as T;
  };
  return {
    call,
    good,
    make: (body: object = {}, asking: Ask = {}) =>
      good("POST", "", { ...asking, body: { name: "tools", ...body } }),
    makeHosted: (asking: Ask = {}) =>
      good("POST", "", { ...asking, body: { name: "ours", config: { type: "self_hosted" } } }),
    read: (id: string, asking: Ask = {}) => good("GET", `/${id}`, asking),
    update: (id: string, body: object) => good("POST", `/${id}`, { body }),
    archive: (id: string) => good("POST", `/${id}/archive`),
    makeKey: (id: string, body: object = {}, asking: Ask = {}) =>
      good<NewKey>("POST", `/${id}/keys`, { ...asking, body }),
    all: async <T = Environment>(
      path: string,
      query: Record<string, string | number | boolean> = {},
      asking: Ask = {},
    ): Promise<T[]> => {
      const found: T[] = [];
      for (let next: string | null = ""; next !== null;) {
        const where: typeof query = next === "" ? query : { ...query, page: next };
        const page: Page<T> = await good<Page<T>>("GET", path + queryOf(where), asking);
        found.push(...page.data);
        next = page.next_page;
      }
      return found;
    },
  };
}
