// What the tests of skills share: uploads as forms and as archives, what is stored, and the sweep.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import { readZip } from "../../kernel/archive/zip-reader.ts";
import { writeZip } from "../../kernel/archive/zip-writer.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { schedules } from "../../server/skills/module.ts";
import type { Skill, SkillVersion } from "../../server/skills/schema.ts";
import type { Answer, House, Tenant } from "../house.ts";
import { queryOf, type Page } from "./memory-house.ts";
import { until } from "./support.ts";

export const skillsPath = "/v1/skills";
export type { Skill, SkillVersion };

type Content = string | Uint8Array<ArrayBuffer>;
/** Of each file its path and what is in it. */
export type Files = Readonly<Record<string, Content>> | readonly (readonly [string, Content])[];

export const document = (name = "pdf-forms", description = "Fills forms.", text = "") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${text}`;
export const folder = (more: Readonly<Record<string, Content>> = {}, name = "pdf-forms") => ({
  [`${name}/SKILL.md`]: document(name),
  ...more,
});

export const formOf = (files: Files, fields: Readonly<Record<string, string>> = {}): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const pairs = Array.isArray(files) ? (files as [string, Content][]) : Object.entries(files);
  for (const [path, content] of pairs) form.append("files[]", new Blob([content]), path);
  return form;
};

export const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);

export const zipOf = (files: Readonly<Record<string, Content>>): Promise<Buffer> =>
  writeZip(
    Object.entries(files).map(([path, content]) => ({
      path,
      bytes: Buffer.from(content as string),
      isExecutable: false,
    })),
  );

/** What is in a zip, by path; what is executable has a `*` behind it. */
export async function contentsOf(zip: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name = "", kind, mode, read } of readZip(zip, { entriesMax: 10_000 })) {
    assert.equal(kind, "file");
    found[(mode & 0o111) === 0 ? name : `${name}*`] = (await read()).toString();
  }
  return found;
}

interface Who {
  key?: string;
  cookie?: string;
  headers?: Record<string, string>;
}

/** Calls as the platform's workspace unless another key is given; `try…` and `call` may fail. */
export function skillsOf(houseOf: () => House) {
  const credential = ({ key, cookie }: Who) =>
    cookie === undefined ? { key: key ?? houseOf().organizations.platform.api_key } : { cookie };
  const call = (method: string, path: string, who: Who = {}): Promise<Answer> =>
    houseOf().ask(method, skillsPath + path, {
      ...credential(who),
      ...(who.headers && { headers: who.headers }),
    });
  const send = async (path: string, form: FormData, who: Who = {}): Promise<Answer> => {
    const { url } = houseOf();
    const { key, cookie } = credential(who) as Who;
    const headers: Record<string, string> =
      cookie === undefined ? { "x-api-key": key ?? "" } : { cookie, origin: url };
    const response = await fetch(url + skillsPath + path, {
      method: "POST",
      headers: { ...headers, ...who.headers },
      body: form,
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const good = async <T>(answer: Promise<Answer>): Promise<T> => {
    const { status, body } = await answer;
    assert.equal(status, 200, JSON.stringify(body));
    return body as T;
  };
  const tryUpload = (files: Files, fields: Record<string, string> = {}, who: Who = {}) =>
    send("", formOf(files, fields), who);
  const tryArchive = (archive: Buffer, who: Who = {}) =>
    tryUpload({ "skill.zip": bytesOf(archive) }, {}, who);
  const download = async (id: string, version = "latest", headers: Record<string, string> = {}) => {
    const { key } = credential({}) as Who;
    const path = `${houseOf().url}${skillsPath}/${id}/versions/${version}/content`;
    return fetch(path, { headers: { "x-api-key": key ?? "", ...headers } });
  };
  return {
    call,
    send,
    good,
    tryUpload,
    tryArchive,
    upload: (files: Files = folder(), fields: Record<string, string> = {}, who: Who = {}) =>
      good<Skill>(tryUpload(files, fields, who)),
    read: (id: string, who: Who = {}) => good<Skill>(call("GET", `/${id}`, who)),
    tryVersion: (id: string, files: Files, who: Who = {}) =>
      send(`/${id}/versions`, formOf(files), who),
    addVersion: (id: string, files: Files, who: Who = {}) =>
      good<SkillVersion>(send(`/${id}/versions`, formOf(files), who)),
    version: (id: string, version = "latest", who: Who = {}) =>
      good<SkillVersion>(call("GET", `/${id}/versions/${version}`, who)),
    download,
    contents: async (id: string, version = "latest") => {
      const response = await download(id, version);
      assert.equal(response.status, 200);
      return contentsOf(Buffer.from(await response.arrayBuffer()));
    },
    all: async <T>(path: string, query: Record<string, string | number> = {}, who: Who = {}) => {
      const found: T[] = [];
      for (let next: string | null = ""; next !== null;) {
        const where: typeof query = next === "" ? query : { ...query, page: next };
        const page: Page<T> = await good<Page<T>>(call("GET", path + queryOf(where), who));
        found.push(...page.data);
        next = page.next_page;
      }
      return found;
    },
    blobs: () => blobsOf(houseOf()),
    stored: async ({ organization_id }: Tenant = houseOf().organizations.platform) => {
      const [row] = await houseOf().world.db.query<{ bytes: number }>(
        sql`select bytes from skill_storage where organization_id = ${organization_id}`,
      );
      return row?.bytes ?? 0;
    },
    /** All rows of skills and all blobs, as they are when nothing is being written. */
    kept: async () => {
      const { db } = houseOf().world;
      const tables = ["skills", "skill_versions", "skill_contents", "skill_storage"];
      const rows = await Promise.all(
        tables.map((table) =>
          db.query({ text: `select * from ${table} order by 1, 2`, values: [] }),
        ),
      );
      return [rows, await writtenBlobs(houseOf())];
    },
    sweep: () => sweep(houseOf()),
  };
}

const writtenBlobs = (house: House) =>
  until(async () => {
    const paths = blobsOf(house);
    return !paths.some((path) => path.startsWith("unfinished/")) && paths;
  }, "the end of what is being written");

function blobsOf({ world }: House): string[] {
  const root = dirname(world.segmentOptions.directory);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, `${parentPath}/${name}`))
    .filter((path) => /^(objects\/skills|unfinished)\//.test(path))
    .sort();
}

async function sweep({ world }: House): Promise<void> {
  const [schedule] = schedules;
  assert.ok(schedule);
  await world.db.tx((tx) => enqueue(tx, world, schedule.job(world.clock.now())));
  await until(async () => {
    const [row] = await world.db.query<{ jobs: number }>(
      sql`select count(*)::int as jobs from jobs`,
    );
    return row?.jobs === 0;
  }, "the sweep");
}
