// What the settings file says of `/mcp`: by which names clients may ask for it, beside the public address.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const EndpointSection = Type.Object(
  {
    /** Without a port: any will do. */
    hosts: Type.Optional(
      Type.Array(Type.String({ pattern: "^[a-z0-9.:\\[\\]-]+$", maxLength: 255 }), {
        maxItems: limits.hostsMax,
      }),
    ),
  },
  { additionalProperties: false },
);

export const endpointSection = defineSection({
  name: "mcp_endpoint",
  describe: "By which host names MCP clients may reach /mcp, beside public_url and loopback names.",
  schema: EndpointSection,
  fallback: {},
});

export const hostsOf = ({ sections }: Pick<World, "sections">): readonly string[] =>
  ((sections?.["mcp_endpoint"] ?? {}) as Static<typeof EndpointSection>).hosts ?? [];
