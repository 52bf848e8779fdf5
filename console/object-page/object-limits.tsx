// The limits that hold for a thing, how much of them is gone, and what is refused now.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import { buttonClass } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import type { RateLimit } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { plural } from "../../client/text/words.ts";
import { memberLimitColumns } from "../limits/members/member-limits.tsx";
import { spendQueries } from "../limits/members/spend.ts";
import { limitQueries } from "../limits/queries.ts";
import { rateColumns } from "../limits/rate-limits.tsx";
import { spendColumns } from "../limits/spend-limits.tsx";
import { memberBlocks, rateBlocks, spendBlocks } from "./blocked.ts";

/** Where the limits are that hold beside the organization's. */
export interface Limited {
  workspaceId?: string | undefined;
  /** Only its rates. */
  model?: string;
  /** Their own limits, where members have some. */
  person?: string;
  /** Why every request is refused, whatever the limits are. */
  refused?: string | undefined;
}

export function ObjectLimits({ limited }: { limited: Limited }) {
  const { permissions } = useMe();
  if (permissions.includes("limits:read")) return <Limits limited={limited} />;
  const { refused } = limited;
  return refused === undefined ? null : (
    <Section title="Limits">
      <Blocks sentences={[refused]} />
    </Section>
  );
}

/** Where they are, and what they refuse now. */
function useLimits({ workspaceId, model, person, refused }: Limited) {
  const { organization } = useMe();
  const spend = useWholeList(limitQueries.spend);
  const hasRates = person === undefined;
  const rates = useWholeList({ ...limitQueries.rates(workspaceId), enabled: hasRates });
  const hasOwn = person !== undefined && organization.type === "enterprise";
  const own = useQuery({ ...spendQueries.of(person ?? ""), enabled: hasOwn });
  const places = spend.rows
    .filter(({ scope }) => scope.type === "organization" || scope.workspace_id === workspaceId)
    .map((limit) => {
      const { workspace_name: name } = limit;
      const whose = name === null ? "The organization's" : `${name}'s`;
      return { limit, name: name ?? organization.name, whose };
    });
  const mine = rates.rows.filter(({ models }) => model === undefined || models.includes(model));
  // There are as many groups as models: of those that are at rest only the number is told.
  const shown = model === undefined ? mine.filter(isNotable) : mine;
  return {
    spend: { ...spend, rows: places },
    rates: hasRates ? { ...rates, rows: shown } : undefined,
    resting: mine.length - shown.length,
    own: hasOwn ? { ...spend, rows: own.data ?? [], isPending: own.isPending } : undefined,
    isKnown: !spend.isPending && !(hasRates && rates.isPending) && !(hasOwn && own.isPending),
    sentences: [
      ...(refused === undefined ? [] : [refused]),
      ...spendBlocks(places),
      ...memberBlocks(own.data?.flatMap(({ summaries }) => summaries) ?? []),
      ...rateBlocks(shown),
    ],
  };
}

/** It was asked in the last minute, or has rates of its own in the workspace. */
const isNotable = ({ limits }: RateLimit): boolean =>
  limits.some(({ used, source }) => used > 0 || source.type === "workspace");

function Limits({ limited }: { limited: Limited }) {
  const { permissions, user } = useMe();
  const { spend, rates, own, isKnown, sentences, resting } = useLimits(limited);
  const { workspaceId, person } = limited;
  const shared = spend.rows.find(({ limit }) => limit.scope.type === "organization")?.limit;
  const search = { workspace: workspaceId, tab: own === undefined ? undefined : "members" };
  return (
    <Section
      title="Limits"
      note={noteOf(workspaceId, person)}
      actions={
        <Link to="/limits" search={search} className={buttonClass()}>
          {permissions.includes("limits:write") ? "Change the limits" : "All limits"}
        </Link>
      }
    >
      {(isKnown || sentences.length > 0) && <Blocks sentences={sentences} />}
      <div className="grid gap-4">
        <ListView
          label="Spend limits"
          list={spend}
          columns={spendColumns(spend.rows)}
          keyOf={({ limit: { scope } }) =>
            scope.type === "organization" ? "organization" : scope.workspace_id
          }
          empty={{}}
        />
        {own !== undefined && (
          <ListView
            label="Their own limits"
            list={own}
            columns={memberLimitColumns(user.id, shared?.amount)}
            empty={{}}
          />
        )}
        {rates !== undefined && (rates.rows.length > 0 || rates.error !== null) && (
          <ListView
            label="Rate limits"
            list={rates}
            columns={rateColumns}
            keyOf={({ group }) => group.id}
            empty={{}}
          />
        )}
        {resting > 0 && (
          <p className="text-soft">
            {plural(resting, "group")} of models with {rates?.rows.length === 0 ? "" : "other "}
            rates of the organization: not asked in the last minute.
          </p>
        )}
      </div>
    </Section>
  );
}

function noteOf(workspaceId: string | undefined, person: string | undefined): string {
  if (person !== undefined) return "Beside those of the workspaces that they work in.";
  if (workspaceId !== undefined) return "Those of the workspace, and of the organization beside.";
  return "Those of the organization; workspaces may have others.";
}

function Blocks({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0) return <p className="mb-3 text-good">Nothing is refused now.</p>;
  return (
    <div role="status" className="mb-3 rounded-lg bg-bad-soft p-3 text-bad">
      <ul className="grid gap-1">
        {sentences.map((sentence) => (
          <li key={sentence} className="wrap-anywhere">
            {sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}
