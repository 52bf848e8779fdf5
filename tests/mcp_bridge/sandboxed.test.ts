// Commands behind a bridge in sandboxes: what they see and reach, that messages go both ways, and that nothing is left.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { StreamableHTTPClientTransport, type Client } from "@modelcontextprotocol/client";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { loadBridge } from "../../server/mcp_bridge/module.ts";
import { defaultLimits, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { openHouse } from "../house.ts";
import { temporaryDirectory } from "../sandboxes/machine.ts";
import { providersHere } from "../sandboxes/providers.ts";
import { newClient, openBridge, textOf } from "./clients.ts";

const { openOwnSandboxes } = await loadBridge();

/** An MCP server that needs no more than a shell: its tool runs a line and answers with what that prints. */
const server = String.raw`
echo begun >&2
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] || continue
  id=${"$"}{BASH_REMATCH[1]}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"run","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      [[ $line =~ \"line\":\"([^\"]*)\" ]]
      words=${"$"}{BASH_REMATCH[1]}
      said=$(eval "${"$"}{words//'\\'/'\'}" 2>&1 | tr -c '[:alnum:] .,:/_-' ' ')
      result="{\"content\":[{\"type\":\"text\",\"text\":\"$said\"}]}" ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done`;
const command = ["bash", "/mnt/shell-server/serve.sh"] as const;

function folderOfServer(): string {
  const folder = join(temporaryDirectory(), "shell-server");
  mkdirSync(join(folder, "below"), { recursive: true });
  writeFileSync(join(folder, "serve.sh"), server);
  writeFileSync(join(folder, "below", "note"), "a note");
  return folder;
}

const run = async (client: Client, line: string, more: object = {}) =>
  (textOf(await client.callTool({ name: "run", arguments: { line, ...more } })) ?? "").trim();

/** By the way out of its sandbox. */
const fetchIn = (client: Client, host: string) =>
  run(
    client,
    `exec 7<>/dev/tcp/127.0.0.1/3128; printf 'GET http://${host}/ HTTP/1.1\\r\\nhost: ${host}\\r\\nconnection: close\\r\\n\\r\\n' >&7; cat <&7`,
  );

const behind = (sandbox: object) =>
  ({
    kind: "command",
    command: command[0],
    args: command.slice(1),
    env: { NAMED: "n" },
    sandbox,
  }) as Parameters<typeof openBridge>[0];

/** As `plinth mcp bridge` makes them. */
async function openOwn({
  hosts = [] as string[] | null,
  directory = temporaryDirectory(),
  folder = folderOfServer(),
} = {}) {
  const notes: string[] = [];
  const own = await openOwnSandboxes({
    clock: systemClock,
    random: systemRandom,
    directory,
    sections: {},
    policy:
      hosts === null
        ? { type: "unrestricted" }
        : { type: "limited", hosts: hosts.map((host) => ({ host })) },
    folders: [folder],
    note: (line) => notes.push(line),
    onErrors: (bytes) => notes.push(bytes.toString()),
  });
  return { ...own, notes };
}

for (const { what, lacks, open } of providersHere)
  suite(what, { skip: lacks.beside }, () => {
    test(`[MCB24] messages of any length go both ways, and the sandbox goes with the session, ${what}`, async () => {
      const directory = temporaryDirectory();
      const provider = await open(directory);
      const sandbox = {
        provider: () => Promise.resolve(provider),
        limits: defaultLimits,
        network: () => ({ connect: (socket: Socket) => void socket.end(), endAll: () => {} }),
        folders: [folderOfServer()],
        onErrors: () => {},
      };
      {
        await using bridge = openBridge(behind(sandbox));
        const client = await bridge.connect();
        assert.equal(await run(client, "echo $NAMED"), "n");
        const said = await run(client, "echo ${#line}", { long: "x".repeat(3_000_000) });
        assert.ok(Number(said) > 3_000_000, said);
        assert.equal((await run(client, "printf %02000000d 0")).length, 2_000_000);
        assert.equal(sandboxesIn(directory).length, 1);
      }
      assert.deepEqual(sandboxesIn(directory), []);
      await provider.close();
    });
  });

test("[MCB24] a session has its folders as they were when it began", async () => {
  const folder = folderOfServer();
  const own = await openOwn({ folder });
  await using bridge = openBridge(behind(own.maker));
  const read = "cat /mnt/shell-server/below/note";
  const first = await bridge.connect({ who: "Bearer first" });
  assert.equal(await run(first, read), "a note");
  writeFileSync(join(folder, "below", "note"), "another");
  assert.equal(await run(first, read), "a note");
  assert.equal(await run(await bridge.connect({ who: "Bearer second" }), read), "another");
  await own.close();
});

test("[MCB24] it sees its folders as they were and what was named to it, and nothing else of the machine", async () => {
  const own = await openOwn();
  await using bridge = openBridge(behind(own.maker));
  const client = await bridge.connect();
  assert.equal(await run(client, "cat /mnt/shell-server/below/note"), "a note");
  assert.match(await run(client, "echo x > /mnt/shell-server/new"), /Read-only|Permission/);
  assert.equal(await run(client, "pwd; ls -A /workspace"), "/workspace");
  const outside = `ls -d ${process.cwd()} ${import.meta.dirname} 2>/dev/null | wc -l`;
  assert.equal(await run(client, outside), "0");
  const names = await run(client, "env | cut -d= -f1");
  assert.ok(names.includes("NAMED") && !names.includes("NODE_TEST"), names);
  assert.ok(own.notes.includes("begun\n"), "[MCB26] errors go to the bridge's");
  await own.close();
});

test("[MCB24] a command that ends during a call is no answer, and the next call has a new one", async () => {
  const own = await openOwn();
  await using bridge = openBridge(behind(own.maker));
  const client = await bridge.connect();
  assert.equal(await run(client, "touch /workspace/here; ls /workspace"), "here");
  await assert.rejects(run(client, "kill -9 $$"), /ended before it answered/);
  assert.equal(await run(client, "ls /workspace"), "");
  await own.close();
});

test("[MCB26] a message that the command does not take in time fails, with its call, and the next one has a new command", async () => {
  const own = await openOwn();
  await using bridge = openBridge(behind({ ...own.maker, takeMs: 1_000 }));
  const client = await bridge.connect();
  assert.equal(await run(client, "touch /workspace/here; ls /workspace"), "here");
  const startedMs = performance.now();
  // While it sleeps it reads nothing, and a pipe holds less than this.
  const [sleeping, untaken] = [
    run(client, "sleep 20"),
    run(client, "", { long: "x".repeat(500_000) }),
  ];
  await assert.rejects(untaken, /not known/);
  await assert.rejects(sleeping, /ended before it answered/);
  assert.ok(performance.now() - startedMs < 10_000);
  assert.equal(await run(client, "ls /workspace"), "");
  await own.close();
});

test("[MCB25] what it may not reach by the names or by the address is told once", async () => {
  const own = await openOwn({ hosts: ["127.0.0.1"] });
  await using bridge = openBridge(behind(own.maker));
  const client = await bridge.connect();
  const ask = (host: string) => fetchIn(client, host);
  assert.match(await ask("other.example"), / 403 .*Who runs the bridge may add it with --hosts/);
  await ask("other.example");
  assert.match(await ask("127.0.0.1"), / 403 .*address/);
  const told = own.notes.filter((note) => note.includes("may not reach"));
  assert.deepEqual(told, [
    "The command may not reach other.example:80.\n",
    "The command may not reach 127.0.0.1:80.\n",
  ]);
  await own.close();
});

test("[MCB25] with all of the internet it reaches no address that is not public either", async () => {
  const own = await openOwn({ hosts: null });
  await using bridge = openBridge(behind(own.maker));
  const client = await bridge.connect();
  for (const host of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "localhost"])
    assert.match(await fetchIn(client, host), / 403 .*address/, host);
  await own.close();
});

test("[MCB24] where sandboxes run no programs the bridge does not begin, and says so", async () => {
  await assert.rejects(
    openOwnSandboxes({
      clock: systemClock,
      random: systemRandom,
      directory: temporaryDirectory(),
      sections: { sandbox: { provider: "virtual" } },
      policy: { type: "unrestricted" },
      folders: [],
      note: assert.fail,
      onErrors: () => {},
    }),
    { exitCode: 1, message: /has no sandbox here: .* With --no-sandbox/ },
  );
});

test("[MCB24] what a killed bridge left is gone once the next one begins", async () => {
  const [directory, folder] = [temporaryDirectory(), folderOfServer()];
  const begin = async () => {
    const flags = ["--listen", "127.0.0.1:0", "--directory", directory, "--folder", folder];
    const program = spawn(
      process.execPath,
      ["bin.ts", "mcp", "bridge", ...flags, "--", ...command],
      { stdio: ["ignore", "pipe", "inherit"], env: { PATH: process.env["PATH"] } },
    );
    const [line] = (await once(createInterface(program.stdout), "line")) as [string];
    const client = newClient();
    const url = new URL(line.slice("MCP bridge: ".length));
    await client.connect(new StreamableHTTPClientTransport(url));
    const end = async (signal: NodeJS.Signals) => {
      const ended = once(program, "exit");
      program.kill(signal);
      await ended;
    };
    return { client, end };
  };
  const sessions = () => sandboxesIn(directory);
  const first = await begin();
  assert.equal(await run(first.client, "echo here"), "here");
  const [left = ""] = sessions();
  await first.end("SIGKILL");
  assert.deepEqual(sessions(), [left]);
  const second = await begin();
  assert.ok(!sessions().includes(left));
  assert.equal(await run(second.client, "echo again"), "again");
  await second.end("SIGTERM");
  assert.deepEqual(sessions(), []);
});

test("[MCB23] [MCB25] [MCB26] a server has commands behind its bridges, each credential its own", async () => {
  const directory = temporaryDirectory();
  const provider = await programsHere(directory);
  const shell = { command, folders: [folderOfServer()] };
  {
    await using house = await openHouse({
      sections: { mcp_bridges: { shell: { ...shell, hosts: [] }, open: shell } },
      logLevel: "debug",
    });
    sandboxesPart.of(house.world).use(provider);
    const { platform, enterprise } = house.organizations;
    const connect = async (key: string, name = "shell") => {
      const client = newClient();
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      const address = new URL(`/mcp/bridges/${name}`, house.url);
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
      return client;
    };
    const first = await connect(platform.api_key);
    const second = await connect(enterprise.api_key);
    assert.equal(await run(first, "touch /workspace/mine; ls /workspace"), "mine");
    assert.equal(await run(second, "ls /workspace"), "");
    assert.equal(await run(first, "ls /workspace"), "mine");
    const refused = await fetchIn(first, "other.example");
    assert.match(refused, / 403 .*may add it to mcp_bridges\.shell\.hosts/);
    await fetchIn(first, "other.example");
    const open = await connect(platform.api_key, "open");
    assert.match(await fetchIn(open, "127.0.0.1"), / 403 .*address/);
    const told = house.log.filter(({ message }) => message === "a command may not reach a host");
    assert.deepEqual(
      told.map(({ bridge, host }) => [bridge, host]),
      [
        ["shell", "other.example:80"],
        ["open", "127.0.0.1:80"],
      ],
    );
    const errors = house.log.filter(({ line }) => line === "begun\n");
    assert.deepEqual(
      errors.map(({ bridge, level }) => [bridge, level]),
      [
        ["shell", "debug"],
        ["shell", "debug"],
        ["open", "debug"],
      ],
    );
  }
  assert.deepEqual(sandboxesIn(directory), []);
});

const sandboxesIn = (directory: string) => globSync("**/sessions/*", { cwd: directory });

async function programsHere(directory: string): Promise<SandboxProvider> {
  const found = providersHere.find(({ lacks }) => lacks.beside === undefined);
  assert.ok(found, "some provider runs programs");
  return await found.open(directory);
}
