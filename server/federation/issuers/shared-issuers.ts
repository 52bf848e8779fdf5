// Issuers with many tenants: a rule that accepts them must say whose tokens it means (rule FED10).
import { invalid } from "../../../kernel/base/failure.ts";
import { claimsNamedIn } from "../rules/condition.ts";
import type { Match } from "../schema.ts";

interface SharedIssuer {
  name: string;
  host: string;
  /** Claims that tell one tenant from another. */
  claims: readonly string[];
  /** Forms of the subject that tell one tenant from another. */
  subject: RegExp;
  example: string;
}

const sharedIssuers: readonly SharedIssuer[] = [
  {
    name: "GitHub Actions",
    host: "token.actions.githubusercontent.com",
    claims: [
      "repository_owner",
      "repository_owner_id",
      "repository",
      "repository_id",
      "enterprise",
      "enterprise_id",
    ],
    subject: /^repo:[^/*:]+\//,
    example: "repository_owner_id, or a subject_prefix such as repo:your-organization/*",
  },
  {
    name: "GitLab",
    host: "gitlab.com",
    claims: ["namespace_id", "namespace_path", "project_id", "project_path"],
    subject: /^project_path:[^/*:]+\//,
    example: "namespace_id, or a subject_prefix such as project_path:your-group/*",
  },
  {
    name: "Buildkite",
    host: "agent.buildkite.com",
    claims: ["organization_slug", "organization_id", "pipeline_id"],
    subject: /^organization:[^:*]+:/,
    example: "organization_slug, or a subject_prefix such as organization:your-organization:*",
  },
  {
    name: "Terraform Cloud",
    host: "app.terraform.io",
    claims: ["terraform_organization_id", "terraform_organization_name", "terraform_project_id"],
    subject: /^organization:[^:*]+:/,
    example:
      "terraform_organization_id, or a subject_prefix such as organization:your-organization:*",
  },
  {
    name: "Google",
    host: "accounts.google.com",
    claims: ["sub", "email", "hd", "azp"],
    subject: /^\d{6,}$/,
    example: "email, or the whole subject",
  },
];

export const sharedIssuerOf = (issuerUrl: string): SharedIssuer | undefined =>
  sharedIssuers.find(({ host }) => hostOf(issuerUrl) === host);

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : url);

/** Whether a rule's match holds of one tenant's tokens alone, as far as its form shows. */
export function constrainsTenant(issuerUrl: string, match: Match): boolean {
  const shared = sharedIssuerOf(issuerUrl);
  if (shared === undefined) return true;
  if (shared.subject.test(match.subject_prefix ?? "")) return true;
  const named = [
    ...Object.keys(match.claims ?? {}),
    ...(match.condition ? claimsNamedIn(match.condition) : []),
  ];
  return named.some((claim) => shared.claims.includes(claim));
}

export function expectTenant(issuerUrl: string, match: Match): void {
  const shared = sharedIssuerOf(issuerUrl);
  if (shared === undefined || constrainsTenant(issuerUrl, match)) return;
  throw invalid(
    `match: ${shared.name} signs tokens for everybody. Say whose this rule means: ${shared.example}.`,
  );
}
