// What a request says of itself, and what a client is asked: the names of the packages, and those of the revision's
// table. The packages themselves are not loaded here, which takes a tenth of a second.
import type {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  TRACEPARENT_META_KEY,
} from "@modelcontextprotocol/server";

const versionKey: typeof PROTOCOL_VERSION_META_KEY = "io.modelcontextprotocol/protocolVersion";
const infoKey: typeof CLIENT_INFO_META_KEY = "io.modelcontextprotocol/clientInfo";
const capabilitiesKey: typeof CLIENT_CAPABILITIES_META_KEY =
  "io.modelcontextprotocol/clientCapabilities";
const traceKey: typeof TRACEPARENT_META_KEY = "traceparent";

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
  const hasLong = [versionKey, capabilitiesKey].some((key) => key in meta);
  // The packages know no place beside `params`: what stands there is of the table, however little it says.
  const hasShort = beside !== undefined || "capabilities" in meta || "clientInfo" in meta;
  if (hasLong || !hasShort) return body;
  const { clientInfo, capabilities, traceparent, ...more } = meta;
  const told = {
    ...more,
    [versionKey]: version,
    [capabilitiesKey]: withExtensions(fieldsOf(capabilities) ?? {}),
    ...(clientInfo !== undefined && { [infoKey]: clientInfo }),
    ...(traceparent !== undefined && { [traceKey]: traceparent }),
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

interface Question {
  method: string;
  params?: object;
}

/** Rule MCE25. What a client is asked, with the table's names beside those of the packages. */
export const withTableNames = <Asked extends Question>(question: Asked) => ({
  ...question,
  type: question.method.split("/")[0] ?? "",
  prompt: promptOf(question),
});

function promptOf({ method, params }: Question): string {
  if (method === "roots/list") return "Which folders may the server look into?";
  const { message, messages } = (params ?? {}) as Fields;
  if (typeof message === "string") return message;
  const last = Array.isArray(messages) ? fieldsOf(messages.at(-1)) : undefined;
  const blocks = [last?.["content"]].flat().map((block) => fieldsOf(block)?.["text"]);
  return blocks.filter((text) => typeof text === "string").join("\n");
}
