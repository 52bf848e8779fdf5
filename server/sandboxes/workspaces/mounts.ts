// File systems that the server mounts by itself, as root: where a daemon binds directories of them into sandboxes.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rmdir } from "node:fs/promises";
import { promisify } from "node:util";
import { SandboxError } from "../provider.ts";

const run = promisify(execFile);

/** Several processes may have an image mounted that none of them writes; `noload`: nor does the kernel, to mend it. */
export async function mountImage(
  image: string,
  place: string,
  { isReadOnly }: { isReadOnly: boolean },
): Promise<void> {
  await mkdir(place, { mode: 0o755 });
  const options = `loop,nosuid,nodev${isReadOnly ? ",ro,noload" : ""}`;
  try {
    await run("mount", ["-t", "ext4", "-o", options, image, place], { env: tools });
  } catch (error) {
    await rmdir(place);
    const { stderr = "", message } = error as Error & { stderr?: string };
    const words = /: ([^:\n]+?)\.?$/m.exec(stderr)?.[1] ?? message;
    throw new SandboxError(`file systems in files cannot be mounted (${words})`, { cause: error });
  }
}

export const mountMemory = (place: string, bytes: number): Promise<unknown> =>
  run("mount", ["-t", "tmpfs", "-o", `nosuid,nodev,mode=755,size=${bytes}`, "tmpfs", place], {
    env: tools,
  });

/** It is gone from its place at once, and altogether when the last descriptor of it is closed. */
export async function unmount(place: string): Promise<void> {
  try {
    await run("umount", ["--lazy", place], { env: tools });
    await rmdir(place);
  } catch (error) {
    // An operator may have been faster.
    if (existsSync(place)) throw error;
  }
}

/** What a server has left there that was killed. */
export async function unmountBelow(directory: string): Promise<void> {
  for (const place of mountsBelow(directory))
    await run("umount", ["--lazy", place], { env: tools });
}

const tools = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** Inner ones first. */
function mountsBelow(directory: string): string[] {
  if (process.platform !== "linux") return [];
  const places = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => unescapeOctal(line.split(" ")[4] ?? ""));
  return places.filter((place) => place.startsWith(`${directory}/`)).toReversed();
}

/** Blanks and the like are written as `\040` there. */
const unescapeOctal = (text: string) =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
