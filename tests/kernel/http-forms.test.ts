// Forms with files on a real socket: order, limits, names, and clients that stop half-way.
import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import Type from "typebox";
import { multipart } from "../../kernel/http/input/multipart.ts";
import { openRoute, type Route } from "../../kernel/http/route.ts";
import {
  commonRoutes,
  openRawConnection,
  startBareServer,
  until,
  type BareServer,
} from "./http-harness.ts";

const rules = multipart({
  fileBytesMax: 1000,
  filesMax: 3,
  fieldBytesMax: 20,
  fields: ["files[]", "note", "title"],
});
const failures: unknown[] = [];
/** Called when a handler of "/upload" begins. */
const begun: (() => void)[] = [];

function upload(
  path: string,
  handle: NonNullable<
    Parameters<typeof openRoute<undefined, undefined, typeof rules>>[0]
  >["handle"],
): Route {
  return openRoute({
    operation: `${path.slice(1)}.create`,
    method: "POST",
    path,
    summary: "Takes files.",
    body: rules,
    bodyBytesMax: 400_000,
    reply: Type.Unknown(),
    handle,
  });
}

let wire: BareServer;
before(async () => {
  wire = await startBareServer([
    ...commonRoutes,
    upload("/upload", async (_context, { body }) => {
      const files: unknown[] = [];
      const before = { ...body.fields };
      begun.shift()?.();
      try {
        for await (const { field, filename, type, content } of body.files)
          files.push([field, filename, type, await text(content)]);
      } catch (error) {
        failures.push(error);
        throw error;
      }
      return { before, files, fields: body.fields };
    }),
    upload("/ignore", () => ({ ignored: true })),
    upload("/skim", async (_context, { body }) => {
      const names: string[] = [];
      for await (const { filename } of body.files) names.push(filename);
      return { names };
    }),
    openRoute({
      operation: "named.create",
      method: "POST",
      path: "/named",
      summary: "Keeps the last part of a name.",
      body: multipart({
        fileBytesMax: 1000,
        filesMax: 1,
        fieldBytesMax: 20,
        fields: ["file", "note"],
        files: ["file"],
        filenames: "last",
      }),
      bodyBytesMax: 4_000,
      reply: Type.Unknown(),
      handle: async (_context, { body }) => {
        for await (const { field, filename, content } of body.files)
          return { field, filename, text: await text(content) };
        return {};
      },
    }),
    openRoute({
      operation: "large.create",
      method: "POST",
      path: "/large",
      summary: "Looks at names alone.",
      body: multipart({ fileBytesMax: 2e6, filesMax: 3, fieldBytesMax: 20, fields: ["files[]"] }),
      bodyBytesMax: 4e6,
      reply: Type.Unknown(),
      handle: async (_context, { body }) => {
        const names: string[] = [];
        for await (const { filename } of body.files) names.push(filename);
        return { names };
      },
    }),
    upload("/first", async (_context, { body }) => {
      for await (const { filename } of body.files) return { filename };
      return {};
    }),
  ]);
});
after(() => wire.stop());

type Part = [name: string, value: string, filename?: string];

function form(parts: Part[]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of parts)
    if (filename === undefined) data.append(name, value);
    else data.append(name, new Blob([value], { type: "text/plain" }), filename);
  return data;
}

interface Answer {
  status: number;
  body: { error?: { message: string } } & Record<string, unknown>;
}

async function post(path: string, body: FormData | string, type?: string): Promise<Answer> {
  const response = await fetch(wire.base + path, {
    method: "POST",
    body,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

/** The rest of the body, from `words` on, is sent when the handler has begun. */
async function postInTwo(path: string, data: FormData, words: string): Promise<Answer> {
  const whole = new Response(data);
  const type = whole.headers.get("content-type") ?? "";
  const bytes = Buffer.from(await whole.arrayBuffer());
  const first = bytes.subarray(0, bytes.indexOf(words));
  const handling = new Promise<void>((resolve) => begun.push(resolve));
  async function* pieces() {
    yield first;
    await handling;
    yield bytes.subarray(first.length);
  }
  const body = ReadableStream.from(pieces());
  const init = { method: "POST", body, duplex: "half", headers: { "content-type": type } } as const;
  const response = await fetch(wire.base + path, init);
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

test("fields and files come in order, with their relative paths", async () => {
  const { status, body } = await postInTwo(
    "/upload",
    form([
      ["title", "Ünïcode"],
      ["files[]", "one", "my-skill/SKILL.md"],
      ["files[]", "", "./my-skill//b.txt"],
      ["note", "later"],
      ["files[]", "x".repeat(1000), "ü.txt"],
    ]),
    "./my-skill//b.txt",
  );
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body["before"], { title: "Ünïcode" });
  assert.deepEqual(body["fields"], { title: "Ünïcode", note: "later" });
  assert.deepEqual(body["files"], [
    ["files[]", "my-skill/SKILL.md", "text/plain", "one"],
    ["files[]", "my-skill/b.txt", "text/plain", ""],
    ["files[]", "ü.txt", "text/plain", "x".repeat(1000)],
  ]);
  assert.deepEqual((await post("/upload", form([["note", "a"]]))).body["fields"], { note: "a" });
});

const bad: [parts: Part[], status: number, message: string][] = [
  [
    [["other", "x"]],
    400,
    "other: is not a known field of this form; known are files[], note, title.",
  ],
  [
    [["x".repeat(60), "x", "a"]],
    400,
    `${"x".repeat(40)}…: is not a known field of this form; known are files[], note, title.`,
  ],
  [
    [
      ["note", "a"],
      ["note", "b"],
    ],
    400,
    "note: is given twice; give it once.",
  ],
  [[["note", "x".repeat(21)]], 413, "note: is larger than 20 bytes; shorten it."],
  [[["files[]", "x".repeat(1001), "a/b.txt"]], 413, "files[] a/b.txt: is larger than 1000 bytes."],
  [
    Array.from({ length: 4 }, (_, i): Part => ["files[]", "x", `${i}`]),
    400,
    "The form has more files than 3; send fewer.",
  ],
  [[["files[]", "x", "../up.txt"]], 400, 'files[]: the filename must not contain "..".'],
  [[["files[]", "x", "a/../../up.txt"]], 400, 'files[]: the filename must not contain "..".'],
  [[["files[]", "x", "a\\..\\up.txt"]], 400, 'files[]: the filename must not contain "..".'],
  [
    [["files[]", "x", "/etc/passwd"]],
    400,
    "files[]: the filename must be a relative path, not an absolute one.",
  ],
  [
    [["files[]", "x", "C:\\x.txt"]],
    400,
    "files[]: the filename must be a relative path, not an absolute one.",
  ],
  [[["files[]", "x", "a\0b"]], 400, "files[]: the filename must not contain control characters."],
  [
    [["files[]", "x", "y".repeat(1025)]],
    400,
    "files[]: the filename must have at most 1024 bytes.",
  ],
];

for (const [parts, status, message] of bad) {
  test(`${status}: ${message}`, async () => {
    const answer = await post("/upload", form(parts));
    assert.deepEqual([answer.status, answer.body.error?.message], [status, message]);
  });
}

test("a route may keep the last part of a name, and say which parts are files", async () => {
  const rawly = (disposition: string) =>
    post(
      "/named",
      `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\ntext\r\n--b--\r\n`,
      "multipart/form-data; boundary=b",
    );
  for (const [filename, kept] of [
    ["a/../b.txt", "b.txt"],
    ["/etc/passwd", "passwd"],
    ["C:\\x.txt", "x.txt"],
    ["..", ""],
    ["", ""],
  ])
    assert.deepEqual((await rawly(`name="file"; filename="${filename}"`)).body, {
      field: "file",
      filename: kept,
      text: "text",
    });
  assert.deepEqual((await rawly('name="file"')).body, {
    field: "file",
    filename: "",
    text: "text",
  });
  const cases: [disposition: string, status: number, says: string][] = [
    [
      'name="note"; filename="a"',
      400,
      "note: comes as a file; send it as a plain field, without a filename.",
    ],
    [
      'name="file"; filename="a\u0007b"',
      400,
      "file: the filename must not contain control characters.",
    ],
    [
      `name="file"; filename="${"y".repeat(1025)}"`,
      400,
      "file: the filename must have at most 1024 bytes.",
    ],
  ];
  for (const [disposition, status, says] of cases) {
    const answer = await rawly(disposition);
    assert.deepEqual([answer.status, answer.body.error?.message], [status, says]);
  }
  const big = await post("/named", form([["file", "x".repeat(5_000), "a"]]));
  assert.deepEqual(
    [big.status, big.body.error?.message],
    [413, "The form is larger than 4000 bytes; it takes a file of at most 1000 bytes."],
  );
  const file = await post("/named", form([["file", "x".repeat(1_001), "a/b"]]));
  assert.deepEqual(
    [file.status, file.body.error?.message],
    [413, "file b: is larger than 1000 bytes."],
  );
});

test("[HTP5] what is no form is refused by its header", async () => {
  const cases: [type: string, status: number, says: RegExp][] = [
    ["application/json", 415, /takes multipart\/form-data/],
    ["multipart/mixed; boundary=a", 415, /takes multipart\/form-data/],
    ["multipart/form-data", 400, /names no boundary/],
    ["multipart/form-data; boundary=", 400, /names no boundary/],
  ];
  for (const [type, status, says] of cases) {
    const { status: found, body } = await post("/upload", "{}", type);
    assert.equal(found, status, type);
    assert.match(body.error?.message ?? "", says);
  }
});

test("[HTP5] malformed forms are 400, and never hang", async () => {
  const head = 'content-disposition: form-data; name="note"\r\n\r\n';
  for (const body of [
    "",
    "nothing",
    "--b\r\n",
    `--b\r\n${head}text`,
    `--b\r\n${head}text\r\n--b`,
    `--b\r\nno header`,
    `--b\r\n${head.replace("note", 'files[]"; filename="a')}text`,
  ]) {
    const { status } = await post("/upload", body, "multipart/form-data; boundary=b");
    assert.equal(status, 400, JSON.stringify(body));
  }
  assert.equal(
    (await post("/upload", `--b\r\n${head}text\r\n--b--\r\n`, "multipart/form-data; boundary=b"))
      .status,
    200,
  );
});

test("[HTP5] a form above the limit of its route is 413", async () => {
  const big = `--b\r\ncontent-disposition: form-data; name="files[]"; filename="a"\r\n\r\n${"x".repeat(900)}\r\n--b--${"\r\n".repeat(250_000)}`;
  assert.equal((await post("/upload", big, "multipart/form-data; boundary=b")).status, 413);
});

test("files that nobody reads hold up nobody", async () => {
  const files: Part[] = [
    ["files[]", "x".repeat(900), "a"],
    ["files[]", "y".repeat(900), "b"],
  ];
  for (let i = 0; i < 3; i++) {
    assert.deepEqual((await post("/ignore", form(files))).body, { ignored: true });
    assert.deepEqual((await post("/skim", form(files))).body, { names: ["a", "b"] });
    assert.deepEqual((await post("/first", form(files))).body, { filename: "a" });
  }
  const large = form(["a", "b"].map((name): Part => ["files[]", "x".repeat(1e6), name]));
  assert.deepEqual((await post("/large", large)).body, { names: ["a", "b"] });
  await until(() => wire.openRequests() === 0, "all to be over");
});

test("[HTP8] a client that goes away in a file ends the handler, not the server", async () => {
  const from = failures.length;
  const line = await openRawConnection(wire.address.port);
  line.send(
    `POST /upload HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900\r\n\r\n--b\r\ncontent-disposition: form-data; name="files[]"; filename="a"\r\n\r\nhalf`,
  );
  await until(() => wire.openRequests() > 0, "the request to begin");
  line.socket.destroy();
  await until(() => failures.length > from, "the handler to end");
  assert.match(String(failures.at(-1)), /client closed the connection/);
  assert.equal((await fetch(`${wire.base}/open`)).status, 200);
});
