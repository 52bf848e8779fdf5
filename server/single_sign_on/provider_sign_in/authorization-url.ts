// From the stored settings to the provider they name, and the address that the browser is sent to.
import type { RequestContext } from "../../../kernel/context.ts";
import { secretContext, type Flow } from "./flow.ts";
import { discover, buildAuthorizationUrl, type Provider } from "./provider.ts";
import type { ConnectionRow } from "../queries.ts";

export const providerOf = (
  { secrets }: Pick<RequestContext, "secrets">,
  row: ConnectionRow,
): Provider => ({
  issuer: row.issuer,
  clientId: row.client_id,
  clientSecret: secrets
    .decrypt(row.client_secret, secretContext(row.organization_id))
    .toString("utf8"),
});

export async function authorizationUrlFor(
  context: RequestContext,
  connection: ConnectionRow,
  flow: Flow,
): Promise<URL> {
  const configuration = await discover(context, providerOf(context, connection));
  return buildAuthorizationUrl(configuration, flow, { scopes: connection.scopes });
}
