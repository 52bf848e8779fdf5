// The setting mcp_endpoint: what an operator may say of `/mcp`.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const hostName = worded(
  "^[a-z0-9.:\\[\\]-]+$",
  "must be a host name in small letters, without a port",
);

const origin = worded(
  "^https?://[a-z0-9.-]+(:[0-9]{1,5})?$|^https?://\\[[0-9a-f:]+\\](:[0-9]{1,5})?$",
  "must be the origin of a page in small letters, without a path, such as https://app.example.com",
);

const EndpointSection = Type.Object(
  {
    hosts: Type.Optional(
      Type.Array(Type.String({ ...hostName, maxLength: 255 }), {
        maxItems: limits.hostsMax,
      }),
    ),
    origins: Type.Optional(
      Type.Array(Type.String({ ...origin, maxLength: 300 }), {
        maxItems: limits.originsMax,
      }),
    ),
    request_state_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.requestStateSecondsMax }),
    ),
  },
  { additionalProperties: false },
);

export const endpointSection = defineSection({
  name: "mcp_endpoint",
  describe:
    "By which host names MCP clients may reach /mcp, beside public_url and loopback names, pages of which other origins may, and how long a person may think about a question.",
  schema: EndpointSection,
  fallback: {},
});

export function endpointSettings({ sections }: Pick<World, "sections">) {
  const given = (sections?.["mcp_endpoint"] ?? {}) as Static<typeof EndpointSection>;
  return {
    hosts: given.hosts ?? [],
    origins: given.origins ?? [],
    requestStateMs: (given.request_state_seconds ?? limits.requestStateSecondsDefault) * 1_000,
  };
}
