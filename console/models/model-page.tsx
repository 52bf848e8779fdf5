// One model: what it takes and costs, where it is asked and how that fares, who may use it, what it costs by key.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pencil, SquareTerminal, Trash2 } from "lucide-react";
import { allModels, groupQueries, modelAction } from "../groups/groups.ts";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { buttonClass } from "../kit/page/button.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import type { ModelInfo } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { perMillion } from "../kit/value/money.ts";
import { ObjectLink } from "../kit/value/object-link.tsx";
import { LastUse } from "../object-page/last-use.tsx";
import { ObjectPage } from "../object-page/object-page.tsx";
import type { Subject } from "../object-page/subject.ts";
import { Capabilities, LifecycleBadge, Origin, type ModelRow } from "./model-columns.tsx";
import { changeModel } from "./model-form.tsx";
import { modelQueries } from "./queries.ts";
import { removeModel } from "./removals.tsx";
import { UpstreamHealth } from "./upstreams/upstream-health.tsx";

export function Page() {
  const id = useIdOfPage();
  const { permissions } = useMe();
  const subject: Subject = { kind: "model", id };
  const mayTry = permissions.includes("messages:use");
  return (
    <ObjectPage
      back={{ to: "/models", label: "All models" }}
      noun="Model"
      read={useModel(id)}
      subject={subject}
      titleOf={({ info }) => info.display_name}
      aboutOf={({ info }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <LifecycleBadge of={info} />
          {info.lifecycle === "deprecated" && "It answers, and will not for ever."}
          {info.lifecycle === "retired" && "It answers no more."}
        </span>
      )}
      besideOf={({ info }) =>
        mayTry &&
        info.lifecycle !== "retired" && (
          <Link to="/playground" search={{ model: id }} className={buttonClass()}>
            <SquareTerminal size={16} aria-hidden />
            Open in playground
          </Link>
        )
      }
      actsOf={actsOf}
      factsOf={(row) => <ModelFacts row={row} subject={subject} />}
      limitedOf={() => ({ model: id })}
    />
  );
}

/** Null: the catalog has none of this id. */
function useModel(id: string) {
  const mayAsk = useMe().permissions.includes("models:write");
  const models = useQuery(modelQueries.list);
  const entries = useQuery({ ...modelQueries.entries, enabled: mayAsk });
  const info = models.data?.data.find((each) => each.id === id);
  const entry = entries.data?.data.find((each) => each.id === id);
  const isKnown = models.data !== undefined && !(mayAsk && entries.isPending);
  const data: ModelRow | null | undefined = !isKnown
    ? undefined
    : info === undefined
      ? null
      : { info, entry };
  return { data, error: models.error ?? entries.error, refetch: () => void models.refetch() };
}

/** The whole catalog belongs to the organization that runs the server: for others there is no entry. */
function actsOf({ entry }: ModelRow): MenuAct[] {
  if (entry === undefined || entry.origin === "settings") return [];
  return [
    { label: "Change", icon: Pencil, run: () => changeModel(entry), button: "plain" },
    {
      label: "Remove",
      icon: Trash2,
      run: () => removeModel(entry.id),
      when: entry.origin === "console",
      isBad: true,
    },
  ];
}

function ModelFacts({ row: { info, entry }, subject }: { row: ModelRow; subject: Subject }) {
  const { max_input_tokens: input, max_tokens: output, allowed_fallback_models: next } = info;
  const prices = entry?.prices;
  return (
    <Facts>
      <IdRow id={info.id} />
      <FactRow name="Takes">
        <Capabilities info={info} />
      </FactRow>
      <FactRow name="Context">
        {input === null ? "Any number of" : input.toLocaleString("en")} tokens in,{" "}
        {output === null ? "any number" : output.toLocaleString("en")} out
      </FactRow>
      {entry !== undefined && (
        <>
          <FactRow name="Price">
            {prices === undefined
              ? "None is set: it costs nothing here"
              : `${perMillion(prices.input)} in and ${perMillion(prices.output)} out, in US dollars for a million tokens`}
          </FactRow>
          <FactRow name="Asked at">
            <Origin entry={entry} />
          </FactRow>
          <Health upstream={entry.upstream ?? ""} />
        </>
      )}
      {next != null && next.length > 0 && <Fallbacks models={next} />}
      <WhoMay id={info.id} />
      <LastUse subject={subject} />
    </Facts>
  );
}

const Fallbacks = ({ models }: { models: NonNullable<ModelInfo["allowed_fallback_models"]> }) => (
  <FactRow name="Falls back to">
    <span className="flex flex-wrap gap-x-3">
      {models.map((id) => (
        <ObjectLink key={id} id={id} kind="model" />
      ))}
    </span>
  </FactRow>
);

function Health({ upstream }: { upstream: string }) {
  const { data } = useQuery(modelQueries.upstreamHealth);
  const health = data?.data.find(({ name }) => name === upstream);
  return health === undefined ? null : (
    <FactRow name="Health">
      <UpstreamHealth health={health} />
    </FactRow>
  );
}

/** Only managed members have what their roles name. */
function WhoMay({ id }: { id: string }) {
  const { permissions, organization } = useMe();
  const isEnterprise = organization.type === "enterprise";
  const enabled = isEnterprise && permissions.includes("roles:read");
  const { data } = useQuery({ ...groupQueries.roles, enabled });
  const giving = data?.data.filter(({ actions }) =>
    actions.some((action) => action === allModels || action === modelAction(id)),
  );
  return (
    <FactRow name="Used by">
      Everybody who may ask models{isEnterprise ? "" : ", and every API key"}
      {giving !== undefined && (
        <span className="block text-sm text-soft">
          {giving.length === 0
            ? "No role gives it to managed members."
            : `To managed members these roles give it: ${giving.map(({ display_name: name }) => name).join(", ")}.`}
        </span>
      )}
    </FactRow>
  );
}
