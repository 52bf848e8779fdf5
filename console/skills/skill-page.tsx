// One skill: what SKILL.md says, its files, and its versions. `?version=` shows another one than the newest.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { nameColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import { Card, Section } from "../kit/page/page-header.tsx";
import { useSearchState, type Search } from "../kit/page/search.ts";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import type { Skill, SkillVersion } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../kit/server/workspace.ts";
import { turnsDirection, turningWords } from "../kit/text/direction.ts";
import { Badge } from "../kit/value/badge.tsx";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { bytesText } from "../kit/value/sizes.ts";
import { exactTime } from "../kit/value/time.ts";
import { Time } from "../kit/value/time.tsx";
import { plural } from "../../client/text/words.ts";
import { skillActs, versionActs } from "./skill-acts.tsx";
import { skillQueries } from "./skill-queries.ts";
import type { Zipped } from "./zip.ts";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const read = useQuery(skillQueries.one(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(skillQueries.one(other, id)),
  );
  return (
    <DetailPage
      back={{ to: "/skills", search: home, label: "All skills" }}
      noun="Skill"
      read={read}
      isLooking={isLooking}
      titleOf={({ display_name: name }) => name}
      actsOf={(skill) =>
        skillActs(skill, workspace, {
          onUploaded: () => void navigate({ to: "/skills/$id", params: { id }, search: home }),
          onDeleted: () => void navigate({ to: "/skills", search: home }),
        })
      }
    >
      {(skill) => <AtVersion skill={skill} />}
    </DetailPage>
  );
}

function AtVersion({ skill }: { skill: Skill }) {
  const { id: workspace, search: home } = useWorkspace();
  const [search, change] = useSearchState();
  const version = search.version ?? skill.latest_version_id;
  const read = useQuery(skillQueries.version(workspace, skill.id, version));
  const content = useQuery(skillQueries.content(workspace, skill.id, version));
  const list = usePagedList(skillQueries.versions(workspace, skill.id));
  const isOnly = list.rows.length === 1 && list.more === undefined;
  const error = read.error ?? content.error;
  return (
    <>
      {read.data !== undefined && <SkillFacts skill={skill} version={read.data} />}
      {error !== null && <TroubleBox error={error} />}
      {content.isPending && error === null && <RowsSkeleton />}
      {content.data !== undefined && <Content zipped={content.data} />}
      <Section title="Versions" note="Each upload is one. None of them ever changes.">
        <ListView
          label="Versions"
          noun="version"
          list={list}
          columns={columnsOf(skill, home)}
          nameOf={({ created_at: at }) => `the version of ${exactTime(at)}`}
          acts={(each) =>
            versionActs(each, workspace, {
              isOnly,
              onDeleted: (gone) => {
                if (gone === search.version) change({ version: undefined });
              },
            })
          }
          selected={version}
          empty={{}}
        />
      </Section>
    </>
  );
}

const columnsOf = (skill: Skill, search: Search): Column<SkillVersion>[] => [
  nameColumn<SkillVersion>({
    title: "Uploaded",
    className: "md:w-72",
    name: ({ created_at: at }) => exactTime(at),
    beside: ({ id }) => id === skill.latest_version_id && <Badge tone="good">Newest</Badge>,
    opens: ({ id }) => ({
      to: "/skills/$id",
      params: { id: skill.id },
      search: { ...search, version: id === skill.latest_version_id ? undefined : id },
    }),
  }),
  {
    title: "What for",
    cell: ({ description }) => (
      <span className="line-clamp-2 wrap-anywhere text-soft">{description}</span>
    ),
  },
];

function SkillFacts({ skill, version }: { skill: Skill; version: SkillVersion }) {
  const isNewest = version.id === skill.latest_version_id;
  return (
    <Facts>
      <FactRow name="What for">
        <span className="wrap-anywhere">{version.description}</span>
      </FactRow>
      <FactRow name="Folder">
        <code className="font-mono text-sm">{version.name}</code>
      </FactRow>
      <FactRow name="Version">
        <Time at={version.created_at} />{" "}
        {isNewest ? (
          <Badge tone="good">Newest</Badge>
        ) : (
          <Badge tone="warn">There is a newer one</Badge>
        )}
      </FactRow>
      <IdRow id={skill.id} />
      <FactRow name="Created">
        <Time at={skill.created_at} />
      </FactRow>
    </Facts>
  );
}

function Content({ zipped: { text = "", files } }: { zipped: Zipped }) {
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  return (
    <>
      <Section title="SKILL.md">
        {turnsDirection(text) && (
          <p role="status" className="mb-2 rounded-lg bg-warn-soft px-3 py-2 text-warn">
            {turningWords}
          </p>
        )}
        <pre
          tabIndex={0}
          role="region"
          aria-label="SKILL.md"
          className="max-h-[60dvh] overflow-auto rounded-lg border border-line bg-surface p-4 font-mono text-sm leading-5 whitespace-pre-wrap wrap-anywhere"
        >
          {text}
        </pre>
      </Section>
      <Section title="Files" note={`${plural(files.length, "file")}, ${bytesText(bytes)} unpacked`}>
        <Card className="p-0!">
          <ul aria-label="Files" className="divide-y divide-line">
            {files.map((file) => (
              <li key={file.path} className="flex items-baseline gap-3 px-4 py-1.5">
                <span className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">{file.path}</span>
                <span className="text-sm whitespace-nowrap text-soft">{bytesText(file.bytes)}</span>
              </li>
            ))}
          </ul>
        </Card>
      </Section>
    </>
  );
}
