// What is open to all of a sign-in: what this server is to an authorization server, and the page to come back to.
import { notFound } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { messageLine, plainPage, plainScript } from "../../identity/module.ts";

type Place = Pick<World, "publicUrl">;

export const redirectUrl = ({ publicUrl }: Place): string => `${publicUrl}/mcp-connected`;

/** Authorization servers fetch it, which they do over https alone. */
export const clientDocumentUrl = ({ publicUrl }: Place): string | undefined =>
  publicUrl.startsWith("https://") ? `${publicUrl}/mcp-client.json` : undefined;

export const clientDocument = (place: Place) => ({
  client_id: clientDocumentUrl(place) ?? "",
  client_name: "Plinth",
  client_uri: place.publicUrl,
  redirect_uris: [redirectUrl(place)],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none" as const,
  application_type: "web" as const,
});

export function shownDocument(place: Place) {
  if (clientDocumentUrl(place) === undefined) throw notFound("document", "mcp-client.json");
  return clientDocument(place);
}

export const connectedPage = () =>
  plainPage({
    title: "Connect an MCP server",
    script: "/mcp-connected/page.js",
    body: `<h1>Connect an MCP server</h1>
${messageLine}
<section id="asked" class="said" hidden>
<dl class="facts" id="facts"></dl>
<p class="hint">Your access to the server goes into this vault, and all who may use the vault can use it. Say yes only if you began this yourself just now.</p>
<div class="actions">
<button class="button" type="button" id="yes">Put it there</button>
<button class="button button-quiet" type="button" id="no">No</button>
</div>
</section>`,
  });

export const pageScript = plainScript(new URL("./page.js", import.meta.url));
