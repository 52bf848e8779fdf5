// Programs of agents reach the world by the network door, with no more than what a sandbox's environment variables say.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { writeZip } from "../../kernel/archive/zip-writer.ts";
import { defaultLimits, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { certificate, privateKey } from "../kernel/certificates.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { listening, openDoorHouse, web } from "./door-house.ts";
import { temporaryDirectory } from "./machine.ts";
import { providersHere } from "./providers.ts";

/** The registries below and a git server: files and answers by their paths. */
function webOf(port: () => number, files: Readonly<Record<string, () => Buffer | string>>) {
  return web((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://web.example");
    const to = searchParams.get("to");
    const file = files[pathname];
    if (to !== null) response.writeHead(302, { location: `http://${to}:${port()}/` }).end();
    else if (request.method === "POST") request.pipe(response);
    else if (file === undefined) response.writeHead(404).end();
    else {
      // An index of packages says what it is.
      response.writeHead(200, pathname.endsWith("/") ? { "content-type": "text/html" } : {});
      response.end(file());
    }
  });
}

const directory = temporaryDirectory();

function makeRepository(): Record<string, () => Buffer> {
  const place = join(directory, "repository");
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
      cwd: place,
      encoding: "utf8",
    });
  mkdirSync(place);
  git("init", "-q", "-b", "main");
  writeFileSync(join(place, "file"), "of the repository\n");
  git("add", "file");
  git("commit", "-q", "-m", "first");
  git("update-server-info");
  const paths = execFileSync("find", [".git", "-type", "f"], { cwd: place, encoding: "utf8" });
  return Object.fromEntries(
    paths
      .trim()
      .split("\n")
      .map((path) => [
        `/${path.replace(/^.git/, "code.git")}`,
        () => readFileSync(join(place, path)),
      ]),
  );
}

function makeNpmPackage(): Buffer {
  const place = join(directory, "npm");
  mkdirSync(join(place, "package"), { recursive: true });
  const about = { name: "of-the-registry", version: "1.0.0", main: "index.js" };
  writeFileSync(join(place, "package/package.json"), JSON.stringify(about));
  writeFileSync(join(place, "package/index.js"), "console.log('of the registry')\n");
  return execFileSync("tar", ["-cz", "package"], { cwd: place });
}

const makeWheel = () => {
  const about = "of_the_index-1.0.0.dist-info";
  const files = {
    "of_the_index.py": "print('of the index')\n",
    [`${about}/METADATA`]: "Metadata-Version: 2.1\nName: of-the-index\nVersion: 1.0.0\n",
    [`${about}/WHEEL`]:
      "Wheel-Version: 1.0\nGenerator: a\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${about}/RECORD`]: "",
  };
  return writeZip(
    Object.entries(files).map(([path, text]) => ({
      path,
      bytes: Buffer.from(text),
      isExecutable: false,
    })),
  );
};

const lacks = (program: string) =>
  !existsSync(`/usr/bin/${program}`) && `${program} is not in /usr/bin`;

const repository = lacks("git") === false ? makeRepository() : {};

// The contract of providers shows that each of them has the door.
for (const { what, open } of providersHere.slice(0, 1))
  suite(what, () => {
    let provider: SandboxProvider;
    let house: Awaited<ReturnType<typeof openDoorHouse>>;
    let server: Awaited<ReturnType<typeof web>>;
    let secure: Awaited<ReturnType<typeof listening>>;
    const place = temporaryDirectory();
    const sessionId = "client";

    before(async () => {
      const [wheel, tarball] = [await makeWheel(), makeNpmPackage()];
      const base = () => `http://web.example:${server.port}`;
      server = await webOf(() => server.port, {
        "/": () => "of the web\n",
        ...repository,
        "/simple/of-the-index/": () =>
          '<a href="/of_the_index-1.0.0-py3-none-any.whl">of_the_index-1.0.0-py3-none-any.whl</a>',
        "/of_the_index-1.0.0-py3-none-any.whl": () => wheel,
        "/of-the-registry": () =>
          JSON.stringify({
            name: "of-the-registry",
            "dist-tags": { latest: "1.0.0" },
            versions: {
              "1.0.0": {
                name: "of-the-registry",
                version: "1.0.0",
                dist: { tarball: `${base()}/of-the-registry.tgz` },
              },
            },
          }),
        "/of-the-registry.tgz": () => tarball,
      });
      secure = await listening(
        createTlsServer({ cert: certificate, key: privateKey }, (_request, response) => {
          response.end("of the secure web\n");
        }),
      );
      house = await openDoorHouse({
        policy: { type: "limited", hosts: [{ host: "web.example" }, { host: "inner.example" }] },
        names: { "web.example": [["127.0.0.1"]], "inner.example": [["127.0.0.2"]] },
      });
      provider = await open(place);
      await provider.ensure({ sessionId, limits: defaultLimits, env: {}, network: house.door });
    });
    after(async () => {
      await provider.destroy(sessionId);
      await provider.close();
      await house[Symbol.asyncDispose]();
      await Promise.all([server.close(), secure.close()]);
    });

    const run = async (command: string) => {
      const request = { command, timeoutMs: testTimeoutMs, bytesMax: 100_000 };
      return (await provider.exec(sessionId, request)).output.toString();
    };
    const there = (path = "/") => `http://web.example:${server.port}${path}`;
    const tls = () => `https://web.example:${secure.port}/`;

    test(`[SBX28] curl, ${what}`, { skip: lacks("curl") }, async () => {
      assert.equal(await run(`curl -s ${there()}`), "of the web\n");
      assert.equal(await run(`curl -sk ${tls()}`), "of the secure web\n");
      assert.equal(await run(`curl -s --proxytunnel ${there()}`), "of the web\n");
      assert.equal(
        await run(`head -c 3000000 /dev/zero | curl -s -T - -X POST ${there("/echo")} | wc -c`),
        "3000000\n",
      );
      assert.match(await run(`curl -s http://other.example/`), /^other\.example:80 is refused: /);
      assert.match(await run(`curl -sS https://other.example/ 2>&1`), /403/);
    });

    test(
      `[SBX23] a redirect to where nothing may go is refused, ${what}`,
      { skip: lacks("curl") },
      async () => {
        const follow = (to: string) => run(`curl -sL '${there(`/moved?to=${to}`)}'`);
        assert.equal(await follow("web.example"), "of the web\n", "the control");
        for (const to of ["inner.example", "other.example", "127.0.0.2", "[::ffff:127.0.0.1]"])
          assert.match(await follow(to), / is refused: | leads to 127\.0\.0\.2, which/, to);
        // Programs ask for these without the proxy, on the sandbox's own loopback, where nobody listens.
        for (const to of ["localhost", "127.0.0.1", "[::1]"])
          assert.equal(await follow(to), "", to);
      },
    );

    test(`[SBX28] Python's urllib, ${what}`, { skip: lacks("python3") }, async () => {
      const ask = (url: string) =>
        run(`/usr/bin/python3 -c 'import ssl, urllib.request as r
print(r.urlopen("${url}", context=ssl._create_unverified_context()).read().decode(), end="")' 2>&1`);
      assert.equal(await ask(there()), "of the web\n");
      assert.equal(await ask(tls()), "of the secure web\n");
      assert.match(await ask("https://other.example/"), /403 Host not allowed by the environment/);
    });

    test(`[SBX28] the fetch of Node.js, ${what}`, async () => {
      // The server's own, outside: few systems have one that heeds these variables, which came with 22.21 and 24.5.
      const variables = (await run("env | grep -i proxy")).trim().split("\n");
      const env = Object.fromEntries(variables.map((line) => line.split("=") as [string, string]));
      assert.equal(env["NODE_USE_ENV_PROXY"], "1");
      const ask = async (url: string) => {
        const script = `fetch("${url}").then(async (r) => process.stdout.write(await r.text()))`;
        const address = `http://127.0.0.1:${house.port}`;
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ["--no-warnings", "-e", script],
          {
            env: {
              ...env,
              HTTP_PROXY: address,
              HTTPS_PROXY: address,
              http_proxy: address,
              https_proxy: address,
              NODE_TLS_REJECT_UNAUTHORIZED: "0",
            },
          },
        );
        return stdout;
      };
      assert.equal(await ask(there()), "of the web\n");
      assert.equal(await ask(tls()), "of the secure web\n");
      await assert.rejects(ask("https://other.example/"));
    });

    test(`[SBX28] git over http, ${what}`, { skip: lacks("git") }, async () => {
      assert.equal(
        await run(`git clone -q ${there("/code.git")} code && cat code/file`),
        "of the repository\n",
      );
      assert.match(await run("git clone -q http://other.example/code.git other 2>&1"), /403/);
    });

    test(`[SBX28] pip, ${what}`, { skip: lacks("pip3") }, async () => {
      const words = `--no-cache-dir -q --index-url ${there("/simple/")} --trusted-host web.example`;
      const said = await run(
        `/usr/bin/pip3 install ${words} --target /tmp/pip of-the-index 2>&1; cat /tmp/pip/of_the_index.py`,
      );
      assert.match(said, /print\('of the index'\)\n$/);
    });

    test(`[SBX28] npm, ${what}`, { skip: lacks("npm") }, async () => {
      const said = await run(
        `mkdir -p npm && cd npm && npm install --silent --no-audit --no-fund --registry ${there()} of-the-registry; node -e 'require("of-the-registry")'; cd ..`,
      );
      assert.match(said, /of the registry\n$/);
    });

    test(`[SBX22] no name is found inside, ${what}`, async () => {
      assert.equal(await run("getent hosts web.example; echo $?"), "2\n");
    });
  });
