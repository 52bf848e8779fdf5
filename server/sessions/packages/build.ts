// Installs the packages of an environment in a sandbox of their own, which becomes a layer.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type PackageManager,
  type PackageSettings,
  type SandboxNetwork,
  type SandboxProvider,
} from "../../sandboxes/module.ts";
import { packageLimits } from "./limits.ts";
import {
  beginScript,
  buildVariables,
  finishScript,
  foreignSystemCode,
  managers,
  missingCode,
  namedIn,
  packagesPlace,
  type Packages,
} from "./managers.ts";

/** In a sentence for who manages the environment, with what the package manager said last. */
export class PackagesFault extends Error {
  override readonly name = "PackagesFault";
  readonly manager: PackageManager | null;

  constructor(message: string, manager: PackageManager | null) {
    super(message);
    this.manager = manager;
  }
}

export interface Build {
  provider: SandboxProvider;
  settings: PackageSettings;
  rootfs: string;
  packages: Packages;
  name: string;
  network: SandboxNetwork;
  tell(manager: PackageManager, line: string): void;
  signal: AbortSignal;
  nowMs(): number;
}

/** Resolves when the layer is there. Throws a PackagesFault where it cannot be. */
export async function buildLayer(build: Build): Promise<void> {
  const { provider, settings, packages, name, network } = build;
  const sessionId = provider.layers.newSandboxId();
  const untilMs = build.nowMs() + settings.buildMs;
  try {
    await provider.ensure({
      sessionId,
      limits: settings.limits,
      env: buildVariables(packages, settings),
      folders: [{ path: packagesPlace, kind: "writable" }],
      network,
    });
    await run(build, sessionId, { script: beginScript, untilMs, manager: null });
    for (const manager of namedIn(packages))
      await run(build, sessionId, {
        script: managers[manager].script,
        words: packages[manager],
        untilMs,
        manager,
        ...(manager === "apt" && { stdin: await dpkgStatus(build) }),
      });
    // What packages have left running ends first, so that nothing changes any more.
    await provider.stop(sessionId);
    const finishedMs = build.nowMs() + packageLimits.finishMs;
    await run(build, sessionId, { script: finishScript, untilMs: finishedMs, manager: null });
    build.signal.throwIfAborted();
    await provider.layers.keep(sessionId, name);
  } catch (error) {
    await provider.destroy(sessionId);
    throw error;
  }
}

interface Asked {
  script: string;
  words?: readonly string[];
  untilMs: number;
  /** Null where it is the server's own. */
  manager: PackageManager | null;
  stdin?: Uint8Array;
}

async function run(
  { provider, settings, tell, signal, nowMs }: Build,
  sessionId: string,
  { script, words = [], untilMs, manager, stdin }: Asked,
): Promise<void> {
  const tail = makeTail();
  const { code, isTimedOut } = await provider.exec(sessionId, {
    command: ["/bin/bash", "-c", script, "install", ...words],
    timeoutMs: Math.max(1, untilMs - nowMs()),
    bytesMax: 0,
    signal,
    ...(stdin !== undefined && { stdin }),
    onOutput: (bytes) => {
      tail.add(bytes);
      if (manager !== null) tell(manager, tail.lastLine());
    },
  });
  signal.throwIfAborted();
  if (code === 0) return;
  throw new PackagesFault(
    wordsOf({
      code,
      isTimedOut,
      manager,
      said: tail.text(),
      settings,
      isImage: isOfImage(provider),
    }),
    manager,
  );
}

interface Ending {
  code: number | null;
  isTimedOut: boolean;
  manager: PackageManager | null;
  said: string;
  settings: PackageSettings;
  isImage: boolean;
}

function wordsOf({ code, isTimedOut, manager, said, settings, isImage }: Ending): string {
  const who = manager ?? "The server";
  const [system, setting] = isImage
    ? ["image", "sandbox.docker.image"]
    : ["root file system", "sandbox.rootfs"];
  if (code === missingCode)
    return `${who} is not in the ${system} of sandboxes. Install it there, or name another one with the setting ${setting}.`;
  if (code === foreignSystemCode)
    return `apt installs packages where the ${system} of sandboxes is a Debian or an Ubuntu, with its list of installed packages in /var/lib/dpkg/status. Name such a one with the setting ${setting}.`;
  const last = said === "" ? "" : ` It said last:\n${said}`;
  if (isTimedOut)
    return `${who} was not done after ${settings.buildMs / 1000} seconds, which the setting sandbox.packages.build_seconds allows.${last}`;
  return `${who} could not install the packages (${code === null ? "its sandbox ended" : `exit status ${code}`}).${last}`;
}

/** A sandbox that is made of an image shows all of it; of a root file system only what programs need. */
const isOfImage = ({ name }: SandboxProvider): boolean => name === "docker";

/** Of the operator's root file system; nothing where there is none, or where the sandbox shows its own. */
async function dpkgStatus({ provider, rootfs }: Build): Promise<Uint8Array> {
  if (isOfImage(provider)) return Buffer.alloc(0);
  try {
    const bytes = await readFile(join(rootfs, "var/lib/dpkg/status"));
    return bytes.length <= packageLimits.dpkgStatusBytesMax ? bytes : Buffer.alloc(0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

/** The last characters of what is written, as people read them: without colours, and lines written over. */
function makeTail() {
  let kept = "";
  const decoder = new TextDecoder();
  // oxlint-disable-next-line no-control-regex
  const controls = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g;
  const text = () =>
    kept
      .replaceAll(/[^\n]*\r(?!\n)/g, "")
      .replaceAll(controls, "")
      .trim();
  return {
    add(bytes: Buffer): void {
      kept = (kept + decoder.decode(bytes, { stream: true })).slice(
        -2 * packageLimits.wordsCharactersMax,
      );
    },
    text: () => text().slice(-packageLimits.wordsCharactersMax).toWellFormed(),
    lastLine: () =>
      (text().split("\n").at(-1) ?? "").slice(0, packageLimits.lineCharactersMax).toWellFormed(),
  };
}
