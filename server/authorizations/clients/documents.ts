// Clients whose id is the address of a document that says who they are (client ID metadata documents).
import { parseShallow } from "../../../kernel/base/json.ts";
import type { RequestContext } from "../../../kernel/context.ts";
import { fetchOutside } from "../../../kernel/http/outside/fetch.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { checker } from "../../../kernel/http/validate/validate.ts";
import { GrantRefusal } from "../../tokens/module.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import { expectMetadata, makeRoom, shownName } from "./registration.ts";
import { RegistrationRequest } from "./schema.ts";

/** Plain http is refused as the document is fetched, unless the operator has allowed its address. */
export const isDocument = (id: string) => /^https?:\/\//.test(id);

/** Rule AUT21. */
export async function clientOfDocument(
  context: RequestContext,
  url: string,
): Promise<queries.ClientRow> {
  const { db, clock, address } = context;
  expectAddress(url);
  const at = clock.now();
  const known = await queries.findClientRow(db, url);
  const ageMs = at.getTime() - (known?.read_at?.getTime() ?? 0);
  if (known !== undefined && ageMs < limits.documentKeptMs) return known;
  const document = await readDocument(context, url);
  const redirectUris = [...new Set(document.redirect_uris)];
  const applicationType = expectMetadata(document, redirectUris);
  const name = `${shownName(document.client_name)} (${new URL(url).host})`;
  await db.tx(async (tx) => {
    if (known === undefined) await makeRoom(tx, context);
    await queries.putDocument(tx, { id: url, name, applicationType, redirectUris, address, at });
  });
  return { id: url, name, redirect_uris: redirectUris, read_at: at };
}

/** One spelling for one document: what stands in it has to be the same to the letter. */
function expectAddress(url: string): void {
  const { href, pathname, hash } = URL.canParse(url)
    ? new URL(url)
    : { href: "", pathname: "/", hash: "" };
  if (href !== url || pathname === "/" || hash !== "")
    throw unfit(url, "is no address of a document: it needs a path, and no part behind #");
}

const checkShape = checker(RegistrationRequest, "body");

async function readDocument(context: RequestContext, url: string): Promise<RegistrationRequest> {
  const { body, status } = await fetchOutside(context, url, {
    headers: { accept: "application/json" },
    bytesMax: limits.documentBytesMax,
    timeoutMs: limits.documentTimeoutMs,
    signal: context.signal,
  }).catch((error: unknown) => {
    if (error instanceof OutsideFailure) throw unfit(url, error.message.replace(/\.$/, ""));
    throw error;
  });
  if (status !== 200) throw unfit(url, `answered with the status ${status}`);
  const document = objectIn(body.toString("utf8"));
  if (document === undefined) throw unfit(url, "is no JSON object");
  const wrong = checkShape(document);
  if (wrong !== undefined) throw unfit(url, `does not fit: ${wrong.message.replace(/\.$/, "")}`);
  if (document["client_id"] !== url) throw unfit(url, "says that it is the document of another");
  const { client_secret: secret, token_endpoint_auth_method: method = "none" } = document;
  if (secret !== undefined || method !== "none")
    throw unfit(url, "is of a program with a secret; token_endpoint_auth_method must be none");
  return document as RegistrationRequest;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseShallow(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const unfit = (url: string, why: string) =>
  new GrantRefusal("invalid_client", `client_id: ${url.slice(0, 200)} ${why}.`);
