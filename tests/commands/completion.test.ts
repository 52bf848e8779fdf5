// `plinth completion`: what real shells offer, from the commands' own flags.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { Command, Option } from "commander";
import { commandsOf } from "../../cli/completion/commands.ts";
import { scripts } from "../../cli/completion/scripts.ts";
import { oneOf } from "../../cli/options.ts";
import { runInProcess } from "./in-process.ts";

type Shell = keyof typeof scripts;

let directory: string;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "plinth-completion-"));
  for (const shell of Object.keys(scripts)) {
    const { code, stdout } = await runInProcess(["completion", shell], {});
    assert.equal(code, 0);
    writeFileSync(join(directory, shell), stdout);
  }
  writeFileSync(join(directory, "agent.json"), "{}");
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** The program that asks for what stands after the words, the last of which may be the beginning of one. */
const asks: Record<Shell, (words: readonly string[], script: string) => string> = {
  bash: (words, script) =>
    `source ${script}; COMP_WORDS=(${words.map(quote).join(" ")}); COMP_CWORD=${words.length - 1};
     _plinth; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // What zsh shows on a screen is here printed: the function itself runs as it is.
  zsh: (words, script) =>
    `compdef() {}; _files() { print -l -- *(N) }; _message() {}
     compadd() { shift; print -l -- "$@" }
     _describe() { local item; for item in "\${(@P)@[-1]}"; do print -- "\${item%%:*}"; done }
     source ${script}; words=(${words.map(quote).join(" ")}); CURRENT=${words.length}; _plinth`,
  fish: (words, script) => `source ${script}; complete -C ${quote(words.join(" "))}`,
};
const quote = (text: string) => `'${text}'`;

function offered(t: TestContext, shell: Shell, ...words: string[]): string[] | undefined {
  const program = asks[shell](["plinth", ...words], join(directory, shell));
  const args = shell === "zsh" ? ["-f", "-c", program] : ["-c", program];
  const { error, status, stdout, stderr } = spawnSync(shell, args, {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: directory },
  });
  if (error !== undefined) {
    t.skip(`${shell} is not installed here`);
    return undefined;
  }
  assert.deepEqual([status === 0 || stdout !== "", stderr], [true, ""]);
  const last = words.at(-1) ?? "";
  return stdout
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "")
    .filter((line) => line !== "" && line.startsWith(last));
}

test("bash: a word behind an equals sign", (t) => {
  const found = offered(t, "bash", "members", "list", "--role", "=", "bil");
  if (found !== undefined) assert.deepEqual(found, ["billing"]);
});

for (const shell of ["bash", "zsh", "fish"] as const) {
  test(`${shell}: commands, and those within them`, (t) => {
    const top = offered(t, shell, "");
    if (top === undefined) return;
    for (const name of ["start", "keys", "limits", "groups", "completion", "worker"])
      assert.ok(top.includes(name), `${name} in ${top.join(" ")}`);
    assert.deepEqual(offered(t, shell, "ke"), ["keys"]);
    assert.deepEqual(offered(t, shell, "workspaces", "members", "re"), ["remove"]);
    assert.deepEqual(offered(t, shell, "--config", "keys", "ke"), ["keys"]);
  });

  test(`${shell}: flags, of the command alone`, (t) => {
    const flags = offered(t, shell, "keys", "list", "--");
    if (flags === undefined) return;
    for (const name of ["--status", "--workspace", "--ids", "--json", "--help"])
      assert.ok(flags.includes(name), `${name} in ${flags.join(" ")}`);
    assert.ok(!flags.includes("--port"));
    assert.deepEqual(offered(t, shell, "start", "--por"), ["--port"]);
    assert.deepEqual(offered(t, shell, "keys", "list", "--limit", "5", "--sta"), ["--status"]);
  });

  test(`${shell}: words that a flag or an argument takes`, (t) => {
    const statuses = offered(t, shell, "keys", "list", "--status", "");
    if (statuses === undefined) return;
    assert.deepEqual(statuses.toSorted(), ["active", "archived", "expired", "inactive"]);
    assert.deepEqual(offered(t, shell, "invites", "list", "--status", "pen"), ["pending"]);
    assert.deepEqual(offered(t, shell, "members", "role", "ann@example.com", "dev"), ["developer"]);
    assert.deepEqual(offered(t, shell, "completion", "fi"), ["fish"]);
    assert.deepEqual(offered(t, shell, "runs", "list", "--trigger", "sch"), ["schedule"]);
    assert.deepEqual(offered(t, shell, "keys", "list", "--workspace", ""), []);
  });

  test(`${shell}: files where a file is meant, and nowhere else`, (t) => {
    const files = offered(t, shell, "agents", "create", "--file", "ag");
    if (files === undefined) return;
    assert.deepEqual(files, ["agent.json"]);
    assert.deepEqual(offered(t, shell, "keys", "show", "ag"), []);
  });

  test(`${shell}: a description may hold any sign`, (t) => {
    const odd = new Command("plinth");
    odd
      .command("odd")
      .description('it\'s "odd": $HOME `date` \\ [x] *')
      .option("--a <b>", "a 'quote' $(date)", oneOf(["one", "two"]))
      .addOption(new Option("--c <d>").choices(["three"]));
    writeFileSync(join(directory, shell), scripts[shell](commandsOf(odd)));
    const found = offered(t, shell, "od");
    if (found === undefined) return;
    assert.deepEqual(found, ["odd"]);
    assert.deepEqual(offered(t, shell, "odd", "--a", "")?.toSorted(), ["one", "two"]);
    assert.deepEqual(offered(t, shell, "odd", "--c", ""), ["three"]);
  });
}

test("another shell is refused with those that there are", async () => {
  const { code, stderr } = await runInProcess(["completion", "tcsh"], {});
  assert.equal(code, 2);
  assert.match(stderr, /bash, zsh, fish/);
});
