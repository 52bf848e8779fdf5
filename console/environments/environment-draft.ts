// An environment as it stands in the form, and what is sent of it.
import type { EnvironmentsCreateBody, EnvironmentsUpdateBody } from "../../contract/types.ts";
import { pairsOf, patchOf, recordOf } from "../kit/form/pairs.tsx";
import type { Environment } from "../kit/server/api.ts";
import { managerNames, type Manager } from "./environments.ts";
import {
  asksForNothing,
  sandboxBodyOf,
  sandboxDraftOf,
  sizeFault,
} from "./sandbox/sandbox-draft.ts";
import { sizeNames } from "./sandbox/sandbox-words.ts";

export const draftOf = (environment?: Environment) => {
  const config = environment?.config;
  const cloud = config?.type === "cloud" ? config : undefined;
  const limited = cloud?.networking.type === "limited" ? cloud.networking : undefined;
  return {
    name: environment?.name ?? "",
    description: environment?.description ?? "",
    type: config?.type ?? ("cloud" as const),
    networking: cloud?.networking.type ?? ("unrestricted" as const),
    /** One on a line, as packages. */
    hosts: limited?.allowed_hosts.join("\n") ?? "",
    mcp: limited?.allow_mcp_servers ?? false,
    managers: limited?.allow_package_managers ?? false,
    packages: Object.fromEntries(
      managerNames.map((each) => [each, cloud?.packages[each].join("\n") ?? ""]),
    ) as Record<Manager, string>,
    sandbox: sandboxDraftOf(cloud?.sandbox),
    pairs: pairsOf(environment?.metadata ?? {}),
  };
};
export type Draft = ReturnType<typeof draftOf>;

export const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

const networkingOf = ({ networking, hosts, mcp, managers }: Draft) =>
  networking === "unrestricted"
    ? { type: "unrestricted" as const }
    : {
        type: "limited" as const,
        allowed_hosts: linesOf(hosts),
        allow_mcp_servers: mcp,
        allow_package_managers: managers,
      };

const packagesOf = (packages: Draft["packages"], names: readonly Manager[]) =>
  Object.fromEntries(names.map((each) => [each, linesOf(packages[each])]));

export const bodyOf = (draft: Draft): EnvironmentsCreateBody => ({
  name: draft.name.trim(),
  description: draft.description === "" ? null : draft.description,
  config:
    draft.type === "self_hosted"
      ? { type: "self_hosted" }
      : {
          type: "cloud",
          networking: networkingOf(draft),
          packages: packagesOf(
            draft.packages,
            managerNames.filter((each) => linesOf(draft.packages[each]).length > 0),
          ),
          ...(!asksForNothing(draft.sandbox) && { sandbox: sandboxBodyOf(draft.sandbox) }),
        },
  metadata: recordOf(draft.pairs),
});

/** What differs, and nothing else: of what another person changed meanwhile, the rest stays theirs. */
export function changesOf(environment: Environment, draft: Draft): EnvironmentsUpdateBody {
  const before = draftOf(environment);
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const packages = managerNames.filter(
    (each) => !isSame(linesOf(before.packages[each]), linesOf(draft.packages[each])),
  );
  const isReached = isSame(networkingOf(before), networkingOf(draft));
  const sandbox = sandboxBodyOf(draft.sandbox);
  const isAsked = isSame(sandboxBodyOf(before.sandbox), sandbox);
  return {
    ...(draft.name !== before.name && { name: draft.name.trim() }),
    ...(draft.description !== before.description && {
      description: draft.description === "" ? null : draft.description,
    }),
    ...((!isReached || packages.length > 0 || !isAsked) && {
      config: {
        type: "cloud",
        ...(!isReached && { networking: networkingOf(draft) }),
        ...(packages.length > 0 && { packages: packagesOf(draft.packages, packages) }),
        ...(!isAsked && { sandbox }),
      },
    }),
    ...(!isSame(draft.pairs, before.pairs) && {
      metadata: patchOf(environment.metadata, recordOf(draft.pairs)),
    }),
  };
}

/** A host that has more than a name: told while it is typed. What else is none the server says. */
export function hostsFault({ networking, hosts }: Draft): string | undefined {
  if (networking === "unrestricted") return undefined;
  const wrong = linesOf(hosts).find((line) => !/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(line));
  return wrong === undefined
    ? undefined
    : `${wrong}: a name alone, such as api.example.com or *.example.com, without https:// and without a path.`;
}

/** Rule of the server: what cannot be fetched cannot be installed. */
export function packagesFault(draft: Draft): string | undefined {
  const hasSome = managerNames.some((each) => linesOf(draft.packages[each]).length > 0);
  return draft.networking === "limited" && !draft.managers && hasSome
    ? "The packages below cannot be installed without package managers."
    : undefined;
}

/** What cannot be right whatever the settings say: those the server knows. */
export const hasSizeFault = ({ sandbox }: Draft): boolean =>
  sizeNames.some((name) => sizeFault(name, sandbox.sizes[name], undefined) !== undefined);
