// The workspace and the folders, mounted where the session's uid can reach them.
import { storedName } from "../../folders.ts";
import type { Plan } from "./plan-types.ts";
import type { Program } from "./program.ts";
import { firstFree, here, mounts } from "./steps.ts";

const { bind, recursive, isPrivate, noSetuid, noDevices } = mounts;

/** Puts them to `workspace` and `folders` in the working directory, and the server's programs to `programs`. */
export function stageWorkspace(program: Program, plan: Plan): void {
  const { stage, workspace, owner, programs } = plan;
  program.call("mount", 0, "/", 0, recursive | isPrivate, 0);
  program.call("chdir", stage);
  program.call("mount", "tmpfs", ".", "tmpfs", noSetuid | noDevices, "size=64k,mode=755");
  // The working directory is still the one below.
  program.call("chdir", stage);
  program.call("mkdirat", here, "root", 0o755);
  program.call("mkdirat", here, "workspace", 0o755);
  program.call("mkdirat", here, "folders", 0o755);
  if ("image" in workspace) mountWorkspaceImage(program, workspace);
  else if (workspace.isPlain) {
    program.call("mount", `${workspace.directory}/files`, "workspace", 0, bind, 0);
    program.call("mount", `${workspace.directory}/folders`, "folders", 0, bind, 0);
  } else mountOverlays(program, stage, workspace.directory, owner === undefined);
  if (owner !== undefined) program.call("fchownat", here, "workspace", owner, owner, 0);
  if (programs !== undefined) mountPrograms(program, plan, programs);
  mountLayer(program, plan);
  makeFolders(program, plan, "folders");
}

/**
 * Leaves their directory open as the first free descriptor: the server takes it over and fills folders through it,
 * whose mounts inside are read-only. Names in it are the server's own; agents have what lies in the folders alone.
 */
export function makeFolders(program: Program, { folders, owner }: Plan, place: string): void {
  for (const { path, kind } of folders) {
    if (kind === "in_memory" || kind === "layer") continue;
    const folder = `${place}/${storedName(path)}`;
    program.attempt("mkdirat", here, folder, 0o755);
    if (owner !== undefined && kind === "writable")
      program.call("fchownat", here, folder, owner, owner, 0);
  }
  program.call("openat", here, place, 0, 0);
}

/** As the workspace is: a plain bind would show where the server keeps them. */
function mountPrograms(program: Program, { stage, workspace }: Plan, programs: string): void {
  program.call("mkdirat", here, "programs", 0o755);
  if ("directory" in workspace && workspace.isPlain) {
    program.call("mount", `${programs}/files`, "programs", 0, bind, 0);
    return;
  }
  program.call("chdir", programs);
  const options = "lowerdir=files:empty";
  program.call("mount", "programs", `${stage}/programs`, "overlay", noSetuid | noDevices, options);
  program.call("chdir", stage);
}

/** As the workspace is, to `layer` in the working directory. */
function mountLayer(program: Program, { stage, layer, folders }: Plan): void {
  const shown = folders.find(({ kind }) => kind === "layer");
  if (layer === undefined || shown === undefined) return;
  const stored = `folders/${storedName(shown.path)}`;
  program.call("mkdirat", here, "layer", 0o755);
  if ("image" in layer) {
    mountImage(program, layer, { place: "layer-image", isReadOnly: true });
    program.call("mount", `layer-image/${stored}`, "layer", 0, bind, 0);
  } else if (layer.isPlain) {
    program.call("mount", `${layer.directory}/${stored}`, "layer", 0, bind, 0);
  } else {
    program.call("chdir", layer.directory);
    const options = `lowerdir=${stored}:empty`;
    program.call("mount", "layer", `${stage}/layer`, "overlay", noSetuid | noDevices, options);
    program.call("chdir", stage);
  }
}

/** The loop device goes by itself when the last process of this namespace is gone. */
function mountImage(
  program: Program,
  { image, loop }: { image: string; loop: number },
  { place, isReadOnly }: { place: string; isReadOnly: boolean },
): void {
  const [readWrite, addDevice, configure, autoClear, readOnly] = [2, 0x4c80, 0x4c0a, 4, 1];
  const device = `/dev/loop${loop}`;
  program.call("openat", here, "/dev/loop-control", readWrite, 0);
  program.attempt("ioctl", firstFree, addDevice, loop);
  program.call("close", firstFree);
  program.call("openat", here, device, readWrite, 0);
  program.call("openat", here, image, isReadOnly ? 0 : readWrite, 0);
  const config = Buffer.alloc(304); // struct loop_config: fd, block size, struct loop_info64
  config.writeUInt32LE(firstFree + 1);
  config.writeUInt32LE(isReadOnly ? autoClear | readOnly : autoClear, 8 + 52);
  program.call("ioctl", firstFree, configure, config);
  program.call("mkdirat", here, place, 0o755);
  const flags = noSetuid | noDevices | (isReadOnly ? mounts.readOnly : 0);
  // What several sandboxes have mounted is written by none of them, not even to mend it.
  program.call("mount", device, place, "ext4", flags, isReadOnly ? "noload" : 0);
  program.call("close", firstFree);
  program.call("close", firstFree + 1);
}

function mountWorkspaceImage(program: Program, workspace: { image: string; loop: number }): void {
  mountImage(program, workspace, { place: "image", isReadOnly: false });
  // Beside it lies the file system's own folder for what it finds again.
  program.attempt("mkdirat", here, "image/files", 0o755);
  program.attempt("mkdirat", here, "image/folders", 0o755);
  program.call("mount", "image/files", "workspace", 0, bind, 0);
  program.call("mount", "image/folders", "folders", 0, bind, 0);
}

function mountOverlays(
  program: Program,
  stage: string,
  directory: string,
  isUnprivileged: boolean,
): void {
  const flags = noSetuid | noDevices;
  program.call("chdir", directory);
  for (const [name, upper, work] of [
    ["workspace", "files", "work"],
    ["folders", "folders", "folders-work"],
  ] as const) {
    const options = `lowerdir=empty,upperdir=${upper},workdir=${work}${isUnprivileged ? ",userxattr" : ""}`;
    program.call("mount", name, `${stage}/${name}`, "overlay", flags, options);
  }
  program.call("chdir", stage);
}
