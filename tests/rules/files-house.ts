// What the tests of files share: uploads as a form and as raw bytes, what is stored, and the sweep.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import { Readable } from "node:stream";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { schedules, storeToolFile } from "../../server/files/module.ts";
import type { FileMetadata } from "../../server/files/schema.ts";
import type { Answer, House, Tenant } from "../house.ts";
import { until } from "./support.ts";

export const filesPath = "/v1/files";

export interface Upload {
  content?: string | Uint8Array<ArrayBuffer>;
  filename?: string;
  type?: string;
  expires?: string | number;
  key?: string;
  cookie?: string;
}

/** A part of a form as it stands on the wire: its headers and its bytes. */
export type RawPart = [headers: string, content: string | Uint8Array];

const boundary = "the-boundary";

export const rawForm = (parts: readonly RawPart[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([headers, content]) => [
      Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
      Buffer.from(content as string),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

export const rawType = `multipart/form-data; boundary=${boundary}`;

export function filesOf(house: House) {
  const own = house.organizations.platform;
  const call = (method: string, path: string, key = own.api_key): Promise<Answer> =>
    house.ask(method, filesPath + path, { key });
  const send = async (
    body: FormData | Uint8Array<ArrayBuffer>,
    headers: Record<string, string>,
    { key = own.api_key, cookie }: Pick<Upload, "key" | "cookie"> = {},
  ): Promise<Answer> => {
    const who = cookie === undefined ? { "x-api-key": key } : { cookie, origin: house.url };
    const response = await fetch(house.url + filesPath, {
      method: "POST",
      headers: { ...who, ...headers },
      body,
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const tryUpload = ({ content = "", filename = "a.txt", type, expires, ...who }: Upload) => {
    const form = new FormData();
    form.append("file", new Blob([content], type === undefined ? {} : { type }), filename);
    if (expires !== undefined) form.append("expires_in_seconds", String(expires));
    return send(form, {}, who);
  };
  const upload = async (what: Upload = {}): Promise<FileMetadata> => {
    const { status, body } = await tryUpload(what);
    assert.equal(status, 200, JSON.stringify(body));
    return body as FileMetadata;
  };
  return {
    call,
    send,
    tryUpload,
    upload,
    raw: (parts: readonly RawPart[]) =>
      send(new Uint8Array(rawForm(parts)), { "content-type": rawType }),
    remove: (id: string, key?: string) => call("DELETE", `/${id}`, key),
    byTool: (content: string, sessionId = "sesn_1", tenant: Tenant = own) =>
      storeToolFile(house.world, {
        organizationId: tenant.organization_id,
        workspaceId: tenant.workspace_id,
        sessionId,
        filename: "plot.csv",
        mimeType: "text/csv",
        content: Readable.from([Buffer.from(content)]),
      }),
    /** The bytes as they lie on the disk, and what is being written. */
    blobs: () => blobsOf(house),
    /** The same when nothing is being written, which other parts of the server do now and then, too. */
    writtenBlobs: () =>
      until(async () => {
        const paths = blobsOf(house);
        return !paths.some((path) => path.startsWith("unfinished/")) && paths;
      }, "the end of what is being written"),
    stored: async (tenant: Tenant = own) => {
      const [row] = await house.world.db.query<{ bytes: number; files: number }>(
        sql`select bytes, files from file_storage where organization_id = ${tenant.organization_id}`,
      );
      return row ?? { bytes: 0, files: 0 };
    },
    contents: () =>
      house.world.db.query<{ bytes: number; files: number }>(
        sql`select bytes, files from file_contents order by bytes, organization_id`,
      ),
    sweep: () => sweep(house),
  };
}

export type Files = ReturnType<typeof filesOf>;

function blobsOf({ world }: House): string[] {
  const root = dirname(world.segmentOptions.directory);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, `${parentPath}/${name}`))
    .filter((path) => /^(objects\/files|unfinished)\//.test(path))
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
