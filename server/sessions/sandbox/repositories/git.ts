// What git is asked in a sandbox of its own, and what it says. The token comes with the standard input and goes to git
// in its environment: it is in no file and in no list of arguments, and the agent has never been in this sandbox.
import type { ExecResult } from "../../../sandboxes/module.ts";
import { bareShell } from "../../../mounts/module.ts";
import { limits } from "./limits.ts";
import type { Checkout } from "./queries.ts";
import type { SeparateSandbox } from "./separate.ts";

/** As session errors name them. */
export type RepositoryFault = "authentication" | "forbidden" | "not_found" | "checkout" | "clone";

/** Not cloned, and why: in git's own words, without the token. */
export class RepositoryError extends Error {
  override readonly name = "RepositoryError";
  readonly fault: RepositoryFault;

  constructor(fault: RepositoryFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export interface Cloning {
  url: string;
  token: string | null;
  checkout: Checkout | null;
  bytesMax: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export const packedPath = "/workspace/repository.tar";

/**
 * No settings of the machine, no hooks, helpers, questions or other protocols, and no host but the one named. Git
 * writes zeros as holes, which take room in the archive alone: both sizes count.
 */
const script = `IFS= read -r header || :
url=$1 protocol=$2 kind=$3 what=$4 kilobytes=$5
command -v git >/dev/null 2>&1 || { printf no-git; exit 0; }
unset GIT_ASKPASS SSH_ASKPASS
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
export GIT_ALLOW_PROTOCOL=$protocol GIT_LFS_SKIP_SMUDGE=1 GIT_CONFIG_COUNT=5
export GIT_CONFIG_KEY_0=http.proxy GIT_CONFIG_VALUE_0=http://127.0.0.1:3128
export GIT_CONFIG_KEY_1=core.hooksPath GIT_CONFIG_VALUE_1=/dev/null
export GIT_CONFIG_KEY_2=http.followRedirects GIT_CONFIG_VALUE_2=false
export GIT_CONFIG_KEY_3=credential.helper GIT_CONFIG_VALUE_3=
export GIT_CONFIG_KEY_4=advice.detachedHead GIT_CONFIG_VALUE_4=false
if [ -n "$header" ]; then
  export GIT_CONFIG_COUNT=6 GIT_CONFIG_KEY_5=http.extraHeader GIT_CONFIG_VALUE_5="$header"
fi
cd /workspace
git clone --quiet --no-checkout --no-recurse-submodules --template= -- "$url" repository ||
  { printf clone; exit 0; }
cd repository
case $kind in
  branch) git checkout --quiet -B "$what" --track "refs/remotes/origin/$what" || { printf checkout; exit 0; } ;;
  commit) git cat-file -e "$what^{commit}" 2>/dev/null || git fetch --quiet origin "$what" || { printf checkout; exit 0; }
    git checkout --quiet --detach "$what" -- || { printf checkout; exit 0; } ;;
  *) if git rev-parse --quiet --verify HEAD >/dev/null; then
      git reset --quiet --hard || { printf checkout; exit 0; }; fi ;;
esac
size=$(du -sk .) && size=\${size%%[!0-9]*}
[ "$size" -le "$kilobytes" ] || { printf 'large %s' "$size"; exit 0; }
tar -cf ${packedPath} . || { printf clone; exit 0; }
bytes=$(stat -c %s ${packedPath})
[ $((bytes / 1024)) -le "$kilobytes" ] || { printf 'large %s' $((bytes / 1024)); exit 0; }
printf 'done %s' "$bytes"`;

/** Answers how many bytes the repository has, packed at `packedPath`. */
export async function clone(apart: SeparateSandbox, cloning: Cloning): Promise<number> {
  const { url, token, checkout, bytesMax, timeoutMs, signal } = cloning;
  const header = headerOf(token);
  const what = checkout === null ? "" : checkout.type === "branch" ? checkout.name : checkout.sha;
  const result = await apart.exec(apart.sessionId, {
    command: [
      ...bareShell,
      script,
      "clone",
      // Git reads addresses in its own way, such as those in capital letters: it is given what was judged.
      new URL(url).href,
      new URL(url).protocol.slice(0, -1),
      checkout?.type ?? "none",
      what,
      `${Math.floor(bytesMax / 1024)}`,
    ],
    stdin: Buffer.from(`${header}\n`),
    timeoutMs,
    bytesMax: limits.saidBytesMax,
    isErrorApart: true,
    signal,
  });
  signal.throwIfAborted();
  const [end = "", size = ""] = result.output.toString("latin1").split(" ");
  if (end === "done" && /^\d+$/.test(size)) return Number(size);
  throw faultOf({ end, size }, saidBy(result, [token, header.split(" ").at(-1)]), {
    ...cloning,
    isTimedOut: result.isTimedOut,
  });
}

/** A name that hosts of repositories take for any token. */
const headerOf = (token: string | null): string =>
  token === null
    ? ""
    : `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;

/** The last lines, in which it says what went wrong. */
function saidBy({ errors }: ExecResult, secrets: readonly (string | null | undefined)[]): string {
  let said = errors.toString("utf8");
  for (const secret of secrets) if (secret) said = said.replaceAll(secret, "[token]");
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const text = lines
    .slice(-4)
    .join(" ")
    .replaceAll(/\p{Cc}/gu, " ");
  return text.slice(-limits.saidCharactersMax).toWellFormed();
}

function faultOf(
  { end, size }: { end: string; size: string },
  said: string,
  { isTimedOut, timeoutMs, bytesMax, token }: Cloning & { isTimedOut: boolean },
): RepositoryError {
  if (end === "no-git")
    return new RepositoryError(
      "clone",
      "git is not installed where sandboxes find their programs; the operator of this server installs it.",
    );
  if (isTimedOut)
    return new RepositoryError(
      "clone",
      `it was not fetched within ${timeoutMs / 1000} seconds. The operator may raise the setting sandbox.clone_seconds.`,
    );
  if (end === "large")
    return new RepositoryError(
      "clone",
      `it has ${Math.ceil(Number(size) / 1024)} MiB, and at most ${Math.floor(bytesMax / 1024 ** 2)} are taken. The operator may raise the setting sandbox.repository_mib.`,
    );
  if (end === "checkout") return new RepositoryError("checkout", said);
  const fault = faults.find(([words]) => words.test(said))?.[1] ?? "clone";
  const asked =
    token === null
      ? ". It was asked without an authorization_token."
      : ". Its authorization_token was not accepted: it is wrong, has expired, or may not read this repository.";
  const hint = fault === "authentication" ? asked : "";
  return new RepositoryError(fault, `${said || "git ended without a word"}${hint}`);
}

const faults: readonly [RegExp, RepositoryFault][] = [
  [/Authentication failed|could not read (Username|Password)|error: 401/i, "authentication"],
  [/error: 403/i, "forbidden"],
  [/not found|error: 404/i, "not_found"],
];
