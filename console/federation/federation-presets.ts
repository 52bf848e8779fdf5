// What is usual for the platforms that workloads run on: filled in, with the ids that only the reader knows left open.
import type { Issuer, Rule } from "./federation.ts";
import type { Snippet } from "../kit/value/snippets.ts";

export type Platform = "github" | "kubernetes" | "generic";

interface Preset {
  label: string;
  hint: string;
  issuer: { name: string; url: string; source: Issuer["jwks"]["type"]; checkJti: boolean };
  match: { subject: string; claims: Record<string, string>; condition: string };
  /** Where the open words come from. */
  help: string;
}

/** Every word that has to be replaced before a rule can be made of a preset. */
const open = {
  owner: "<owner-id>",
  repository: "<repository-id>",
  namespace: "<namespace>",
  account: "<account>",
  uid: "<uid>",
  subject: "<subject>",
};

export const presets: Record<Platform, Preset> = {
  github: {
    label: "GitHub Actions",
    hint: "Jobs of one repository, on one branch",
    issuer: {
      name: "github",
      url: "https://token.actions.githubusercontent.com",
      source: "discovery",
      checkJti: true,
    },
    match: {
      subject: "",
      claims: {
        repository_owner_id: open.owner,
        repository_id: open.repository,
        ref: "refs/heads/main",
      },
      condition: "",
    },
    help: "Names can be registered again by somebody else, ids cannot: gh api repos/OWNER/REPOSITORY --jq '.owner.id, .id' prints both.",
  },
  kubernetes: {
    label: "Kubernetes",
    hint: "Pods of one service account of the cluster",
    issuer: {
      name: "cluster",
      url: "https://kubernetes.default.svc.cluster.local",
      source: "inline",
      // A pod presents the same projected token until the cluster renews it.
      checkJti: false,
    },
    match: {
      subject: `system:serviceaccount:${open.namespace}:${open.account}`,
      claims: {},
      condition: `claims['kubernetes.io'].serviceaccount.uid == '${open.uid}'`,
    },
    help: "The uid goes when the account is deleted, so a new one of the same name is not let in: kubectl get serviceaccount ACCOUNT -n NAMESPACE -o jsonpath='{.metadata.uid}' prints it.",
  },
  generic: {
    label: "Another issuer",
    hint: "Whatever signs OpenID Connect tokens",
    issuer: { name: "", url: "", source: "discovery", checkJti: true },
    match: { subject: open.subject, claims: {}, condition: "" },
    help: "The subject is the claim sub of its tokens, to the letter; with * at its end it is how subjects begin. Prefer ids to names.",
  },
};

export const platforms = Object.keys(presets) as Platform[];
export const platformChoices = platforms.map((value) => ({
  value,
  label: presets[value].label,
  hint: presets[value].hint,
}));

export function platformOf(issuer: Pick<Issuer, "issuer_url"> | undefined): Platform {
  if (issuer === undefined) return "generic";
  if (issuer.issuer_url === presets.github.issuer.url) return "github";
  return /kubernetes|[./]eks[./]|oke\b|aks\b|container\.googleapis/.test(issuer.issuer_url)
    ? "kubernetes"
    : "generic";
}

/** The first word that is still to be replaced. */
export const leftOpen = (texts: readonly string[]): string | undefined =>
  Object.values(open).find((word) => texts.some((text) => text.includes(word)));

export const defaultLife = 3_600;

interface Place {
  url: string;
  organizationId: string;
  rule: Rule;
}

const file = { github: "$RUNNER_TEMP/identity-token", kubernetes: "/var/run/plinth/token" };

/** One workspace needs no word; of several, one has to be named. */
function named({ applies_to_all_workspaces: isForAll, workspace_ids: ids }: Rule): string[] {
  if (isForAll) return ["default"];
  return ids.length > 1 ? ids.slice(0, 1) : [];
}

const variables = ({ url, organizationId, rule }: Place, tokenFile: string): [string, string][] => [
  ["ANTHROPIC_BASE_URL", url],
  ["ANTHROPIC_FEDERATION_RULE_ID", rule.id],
  ["ANTHROPIC_ORGANIZATION_ID", organizationId],
  ["ANTHROPIC_IDENTITY_TOKEN_FILE", tokenFile],
  ...named(rule).map((id): [string, string] => ["ANTHROPIC_WORKSPACE_ID", id]),
];

const exported = (place: Place, tokenFile: string): string =>
  variables(place, tokenFile)
    .map(([name, value]) => `export ${name}="${value}"`)
    .join("\n");

const github = (place: Place, audience: string): Snippet => ({
  label: "GitHub Actions",
  code: `jobs:
  work:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      id-token: write
    steps:
      - name: Fetch an identity token
        run: |
          curl -sSf -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
            "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(audience)}" \\
            | jq -r .value > "${file.github}"
          cat >> "$GITHUB_ENV" <<EOF
${variables(place, file.github)
  .map(([name, value]) => `          ${name}=${value}`)
  .join("\n")}
          EOF
      # The official client does the rest. Its token ends after some minutes:
      # fetch an identity token again before a later step that needs it.`,
});

const kubernetes = (place: Place, audience: string): Snippet => ({
  label: "Kubernetes",
  code: `spec:
  serviceAccountName: ACCOUNT
  containers:
    - name: work
      image: IMAGE
      env:
${variables(place, file.kubernetes)
  .map(([name, value]) => `        - { name: ${name}, value: "${value}" }`)
  .join("\n")}
      volumeMounts:
        - { name: identity, mountPath: /var/run/plinth, readOnly: true }
  volumes:
    - name: identity
      projected:
        sources:
          - serviceAccountToken:
              path: token
              audience: "${audience}"
              expirationSeconds: 3600`,
});

const environment = (place: Place): Snippet => ({
  label: "Environment",
  code: `${exported(place, "/path/to/token")}

# The official client finds all of it by itself.`,
});

const curl = ({ url, organizationId, rule }: Place): Snippet => ({
  label: "curl",
  code: `curl -sS ${url}/v1/oauth/token -H "content-type: application/json" -d @- <<EOF
{
  "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "assertion": "$(cat /path/to/token)",
  "organization_id": "${organizationId}",
  "federation_rule_id": "${rule.id}"
}
EOF`,
});

/** What to paste where the workload runs; its own platform first. */
export function exchangeSnippets(place: Place, platform: Platform): Snippet[] {
  const audience = place.rule.match.audience ?? place.url;
  const all = [environment(place), curl(place)];
  if (platform === "github") return [github(place, audience), ...all];
  if (platform === "kubernetes") return [kubernetes(place, audience), ...all];
  return [...all, github(place, audience), kubernetes(place, audience)];
}
