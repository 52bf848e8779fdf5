// Routes of organizations.
import { route } from "../../kernel/http/route.ts";
import { Organization } from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  route({
    operation: "organizations.me",
    method: "GET",
    path: "/v1/organizations/me",
    summary: "The organization that the credential belongs to.",
    permission: "organization:read",
    organizations: ["platform", "enterprise"],
    reply: Organization,
    handle: (context) => service.currentOrganization(context),
  }),
];
