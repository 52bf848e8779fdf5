// What tests of packages share: registries of npm, pip and apt on this machine's loopback.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeZip } from "../../kernel/archive/zip-writer.ts";
import { web } from "../sandboxes/door-house.ts";

export type Registries = Awaited<ReturnType<typeof openRegistries>>;

/** Each has one package, `of-the-registry`, at the version 1.0.0; npm has one that cannot be installed, too. */
export async function openRegistries() {
  const directory = mkdtempSync(join(tmpdir(), "plinth-registries-"));
  const wheel = await makeWheel();
  const tarballs = {
    "of-the-registry": makeTarball(directory, "of-the-registry", {}),
    broken: makeTarball(directory, "broken", {
      install: "echo its own last words >&2; sleep 0.1; exit 3",
    }),
    slow: makeTarball(directory, "slow", { install: "until [ -e /nowhere ]; do sleep 0.1; done" }),
  };
  const archive = makeArchive(directory);
  const asked: string[] = [];
  const server = await web((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://registry.example");
    asked.push(pathname);
    const answer = (body: Buffer | string | undefined, type = "application/octet-stream") =>
      response.writeHead(body === undefined ? 404 : 200, { "content-type": type }).end(body ?? "");
    const [, manager, ...rest] = pathname.split("/");
    const name = rest.join("/");
    if (manager === "npm" && name.endsWith(".tgz"))
      return answer(tarballs[name.slice(0, -4) as keyof typeof tarballs]);
    if (manager === "npm") return answer(aboutPackage(name, tarballs, `${address()}/npm`));
    if (manager === "apt") return answer(archive[name]);
    if (name === "of-the-registry/")
      return answer(`<a href="/pip/${wheelName}">${wheelName}</a>`, "text/html");
    return answer(name === wheelName ? wheel : undefined);
  });
  const address = () => `http://127.0.0.1:${server.port}`;
  return {
    /** Paths that were asked for. */
    asked,
    /** The settings that lead here. */
    sections: (more: object = {}) => ({
      network: { allow_private_addresses: ["127.0.0.1"] },
      sandbox: {
        packages: {
          mirrors: {
            npm: `${address()}/npm/`,
            pip: `${address()}/pip/`,
            apt: `${address()}/apt`,
          },
          trust_apt_mirror: true,
          ...more,
        },
      },
    }),
    async [Symbol.asyncDispose]() {
      await server.close();
      rmSync(directory, { recursive: true });
    },
  };
}

const wheelName = "of_the_registry-1.0.0-py3-none-any.whl";

function makeWheel(): Promise<Buffer> {
  const about = "of_the_registry-1.0.0.dist-info";
  const files = {
    "of_the_registry.py": "def main():\n  print('python ran it')\n",
    [`${about}/METADATA`]: "Metadata-Version: 2.1\nName: of-the-registry\nVersion: 1.0.0\n",
    [`${about}/WHEEL`]:
      "Wheel-Version: 1.0\nGenerator: a\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${about}/entry_points.txt`]: "[console_scripts]\nrun-of-pip = of_the_registry:main\n",
    [`${about}/RECORD`]: "",
  };
  return writeZip(
    Object.entries(files).map(([path, content]) => ({
      path,
      bytes: Buffer.from(content),
      isExecutable: false,
    })),
  );
}

function makeTarball(directory: string, name: string, scripts: Record<string, string>): Buffer {
  const place = join(directory, name);
  mkdirSync(join(place, "package"), { recursive: true });
  const about = { name, version: "1.0.0", main: "index.js", bin: { [`run-${name}`]: "run.js" } };
  const put = (file: string, content: string) =>
    writeFileSync(join(place, "package", file), content);
  put("package.json", JSON.stringify({ ...about, scripts }));
  put("index.js", "module.exports = 'node found it';\n");
  put("run.js", "#!/usr/bin/env node\nconsole.log('node ran it');\n");
  return execFileSync("tar", ["-cz", "package"], { cwd: place });
}

function aboutPackage(
  name: string,
  tarballs: Record<string, Buffer>,
  base: string,
): string | undefined {
  const tarball = tarballs[name];
  if (tarball === undefined) return undefined;
  const version = {
    name,
    version: "1.0.0",
    bin: { [`run-${name}`]: "run.js" },
    hasInstallScript: name !== "of-the-registry",
    dist: {
      tarball: `${base}/${name}.tgz`,
      shasum: createHash("sha1").update(tarball).digest("hex"),
    },
  };
  return JSON.stringify({
    name,
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": version },
  });
}

/** One unsigned suite, called as this system's is. */
function makeArchive(directory: string): Record<string, Buffer> {
  const release = readFileSync("/usr/lib/os-release", "utf8");
  const suite = /^VERSION_CODENAME=(.*)$/m.exec(release)?.[1] ?? "none";
  const place = join(directory, "deb");
  mkdirSync(join(place, "DEBIAN"), { recursive: true });
  mkdirSync(join(place, "usr/bin"), { recursive: true });
  const control = `Package: of-the-registry\nVersion: 1.0.0\nArchitecture: all\nMaintainer: a <a@example.com>\nDescription: a program\n`;
  writeFileSync(join(place, "DEBIAN/control"), control);
  writeFileSync(join(place, "usr/bin/run-of-apt"), "#!/bin/sh\necho apt brought it\n", {
    mode: 0o755,
  });
  try {
    execFileSync("dpkg-deb", ["--root-owner-group", "-b", place, join(directory, "a.deb")]);
  } catch {
    return {}; // no Debian: what tests it is passed by
  }
  const deb = readFileSync(join(directory, "a.deb"));
  const hash = createHash("sha256").update(deb).digest("hex");
  const index = Buffer.from(
    `${control}Filename: pool/a.deb\nSize: ${deb.length}\nSHA256: ${hash}\n\n`,
  );
  const architecture = execFileSync("dpkg", ["--print-architecture"], { encoding: "utf8" }).trim();
  const packages = `main/binary-${architecture}/Packages`;
  const listed = `SHA256:\n ${createHash("sha256").update(index).digest("hex")} ${index.length} ${packages}\n`;
  const head = `Origin: a\nSuite: ${suite}\nCodename: ${suite}\nArchitectures: ${architecture}\nComponents: main\nDate: Thu, 01 Jan 2026 00:00:00 UTC\n`;
  return {
    [`dists/${suite}/Release`]: Buffer.from(head + listed),
    [`dists/${suite}/${packages}`]: index,
    "pool/a.deb": deb,
  };
}
