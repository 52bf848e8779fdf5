// What the tests of the request log share: a house whose log is written at once, and read by its own key.
import assert from "node:assert/strict";
import type { LoggedRequest } from "../../server/requests/schema.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import type { House, Tenant } from "../house.ts";

export type { LoggedRequest };

interface Page {
  data: LoggedRequest[];
  next_page: string | null;
  searched_to: string | null;
}

export function requestsOf(houseOf: () => House) {
  const tenantOf = (tenant?: Tenant) => tenant ?? houseOf().organizations.platform;
  const ask = async (query = "", tenant?: Tenant) => {
    const house = houseOf();
    await requestLogOf(house.world).flush();
    return house.ask("GET", `/v1/organizations/requests${query}`, {
      key: tenantOf(tenant).admin_api_key,
    });
  };
  const page = async (query = "", tenant?: Tenant): Promise<Page> => {
    const { status, body } = await ask(`?${query}`, tenant);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Page;
  };
  return {
    ask,
    page,
    list: async (query = "", tenant?: Tenant) => (await page(query, tenant)).data,
    read: async (id: string, tenant?: Tenant): Promise<LoggedRequest> => {
      const { status, body } = await ask(`/${id}`, tenant);
      assert.equal(status, 200, JSON.stringify(body));
      return body as LoggedRequest;
    },
  };
}

export const requestIdOf = ({ headers }: { headers: Headers }): string =>
  headers.get("request-id") ?? assert.fail("the answer has no request-id");
