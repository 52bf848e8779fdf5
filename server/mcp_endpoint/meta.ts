// What a request says of itself: under the names of the packages, or under the shorter ones of the revision's table.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  TRACEPARENT_META_KEY,
} from "@modelcontextprotocol/server";

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;

/**
 * Rule MCE5. A request without any of the long names that has the short ones, beside `params` or in it, is given the
 * long ones; what it says of its version is in its header.
 */
export function withLongNames(body: unknown, version: string | undefined): unknown {
  const message = fieldsOf(body);
  if (message === undefined || version === undefined) return body;
  const params = fieldsOf(message["params"]);
  const inner = fieldsOf(params?.["_meta"]);
  const { _meta: beside, ...rest } = message;
  const meta = { ...fieldsOf(beside), ...inner };
  const hasLong = [PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY].some(
    (key) => key in meta,
  );
  // The packages know no place beside `params`: what stands there is of the table, however little it says.
  const hasShort = beside !== undefined || "capabilities" in meta || "clientInfo" in meta;
  if (hasLong || !hasShort) return body;
  const { clientInfo, capabilities, traceparent, ...more } = meta;
  const told = {
    ...more,
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_CAPABILITIES_META_KEY]: withExtensions(fieldsOf(capabilities) ?? {}),
    ...(clientInfo !== undefined && { [CLIENT_INFO_META_KEY]: clientInfo }),
    ...(traceparent !== undefined && { [TRACEPARENT_META_KEY]: traceparent }),
  };
  return { ...rest, params: { ...params, _meta: told } };
}

/** The table has an extension's version where the packages have what it can do. */
function withExtensions(capabilities: Fields): Fields {
  const extensions = fieldsOf(capabilities["extensions"]);
  if (extensions === undefined) return capabilities;
  const objects = Object.entries(extensions).map(([name, value]) => [
    name,
    typeof value === "string" ? { version: value } : value,
  ]);
  return { ...capabilities, extensions: Object.fromEntries(objects) as Fields };
}
