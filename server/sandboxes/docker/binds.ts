// The directories that a container shows, and what the server puts in them before it starts.
import { lstatSync } from "node:fs";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { storedName } from "../folders.ts";
import { syntheticFiles } from "../linux/program/root.ts";
import { programsPlace } from "../programs.ts";
import type { SandboxLayer, SandboxSpec } from "../provider.ts";
import type { Stored } from "../workspaces/workspaces.ts";
import type { Bind, User } from "./container.ts";

/** Of the session; without one it is the server's own, which is not root. */
export const userOf = ({ owner }: Stored): User => ({
  uid: owner ?? process.getuid?.() ?? 0,
  gid: owner ?? process.getgid?.() ?? 0,
});

/** Names in these directories are the server's own; agents have what lies in the folders alone. */
export async function prepareFolders(place: string, spec: SandboxSpec, user: User): Promise<void> {
  const make = async (path: string, isAgents: boolean): Promise<void> => {
    await mkdir(path, { recursive: true, mode: 0o755 });
    if (isAgents && process.getuid?.() === 0) await chown(path, user.uid, user.gid);
  };
  await make(join(place, "files"), true);
  await make(join(place, "folders"), false);
  for (const { path, kind } of spec.folders ?? [])
    if (kind !== "in_memory")
      await make(join(place, "folders", storedName(path)), kind === "writable");
  for (const [name, text] of Object.entries(systemFiles(user)))
    await writeFile(join(place, name), text, { mode: 0o644 });
}

const systemNames = ["passwd", "group", "hosts", "resolv.conf"] as const;

/** In `/etc`, in the place of the image's own and of those that tell of the host's network. */
const systemFiles = ({ uid, gid }: User): Record<(typeof systemNames)[number], string> => ({
  passwd: `root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:${uid}:${gid}:agent:/home/agent:/bin/bash\n`,
  group: `root:x:0:\nagent:x:${gid}:\n`,
  hosts: syntheticFiles["etc/hosts"] ?? "",
  "resolv.conf": syntheticFiles["etc/resolv.conf"] ?? "",
});

export function bindsOf(
  { folders = [], layer }: SandboxSpec,
  places: { workspace: string; layer: string | undefined; own: string },
): Bind[] {
  const of = (source: string, target: string, isReadOnly: boolean) => ({
    source: join(places.workspace, source),
    target,
    isReadOnly,
  });
  const shown = layer && places.layer && join(places.layer, "folders", storedName(layer.path));
  return [
    of("files", "/workspace", false),
    ...systemNames.map((name) => of(name, `/etc/${name}`, true)),
    ...folders
      .filter(({ kind }) => kind !== "in_memory")
      .map(({ path, kind }) => of(`folders/${storedName(path)}`, path, kind === "read_only")),
    ...(layer && shown ? bindsOfLayer(layer, shown) : []),
    { source: join(places.own, "programs/files"), target: programsPlace, isReadOnly: true },
  ];
}

/** Names at the root are binds, too: the root of an image is read-only, and no link can be made there. */
function bindsOfLayer({ path, links = {} }: SandboxLayer, shown: string): Bind[] {
  const named = Object.entries(links).flatMap(([name, to]): Bind[] =>
    isDirectoryIn(shown, to)
      ? [{ source: join(shown, to), target: `/${name}`, isReadOnly: true }]
      : [],
  );
  return [{ source: shown, target: path, isReadOnly: true }, ...named];
}

/** By real directories alone: a link that an agent has made there would lead the daemon anywhere on the host. */
function isDirectoryIn(directory: string, path: string): boolean {
  const steps = path.split("/");
  return steps.every((_, index) => {
    const place = join(directory, ...steps.slice(0, index + 1));
    return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  });
}
