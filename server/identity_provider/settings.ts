// What the settings file says of e-mail domains.
import Type, { type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";

const DomainsSection = Type.Object(
  {
    /** Domain → id of the organization that it belongs to, set by the operator. */
    verified: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: false },
);
type DomainsSection = Static<typeof DomainsSection>;

export const domainsSection = defineSection({
  name: "email_domains",
  describe: "Which e-mail domain belongs to which organization, without a question to the DNS.",
  schema: DomainsSection,
  fallback: {},
});

/** Rule SCM3: the operator's entry replaces the DNS record, where that does not know the domain. */
export function isVerifiedByOperator(
  { sections }: Pick<World, "sections">,
  organizationId: string,
  domain: string,
): boolean {
  const { verified = {} } = (sections?.["email_domains"] ?? {}) as DomainsSection;
  return Object.entries(verified).some(
    ([name, owner]) => name.toLowerCase() === domain && owner === organizationId,
  );
}
