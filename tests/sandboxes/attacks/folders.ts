// Attacks on folders: changing what is read-only, and more than a sandbox was given in what is writable.
import type { SandboxFolder } from "../../../server/sandboxes/provider.ts";
import { type Attack, shout, when } from "./attack.ts";

/** In every sandbox that is attacked; in the read-only one lies `fact`. */
export const folders: readonly SandboxFolder[] = [
  { path: "/mnt/memory", kind: "in_memory" },
  { path: "/mnt/memory/facts", kind: "read_only" },
  { path: "/mnt/memory/notes", kind: "writable" },
];
const [facts, notes] = ["/mnt/memory/facts", "/mnt/memory/notes"];
export const readOnlyFolder = facts;

/** The control is the same in a folder where the agent may do it. */
function changing(name: string, line: (folder: string) => string): Attack {
  const prepared = `echo true >${notes}/fact; mkdir -p ${notes}/in; ${line(notes)}`;
  return { name, line: () => line(facts), control: { by: "another line", line: () => prepared } };
}

const mib = 1024 * 1024;
const looser = (limits: Attack["limits"] & object) => ({ by: "looser limits", limits }) as const;

const changes: Attack[] = [
  changing("writes to a read-only file", (folder) => when(`echo x >>${folder}/fact`)),
  changing("makes a file in a read-only folder", (folder) => when(`: >${folder}/new`)),
  changing("makes a folder in a read-only folder", (folder) => when(`mkdir ${folder}/new-folder`)),
  changing("removes a read-only file", (folder) => when(`rm -f ${folder}/fact`)),
  changing("renames a read-only file", (folder) => when(`mv -f ${folder}/fact ${folder}/other`)),
  changing("moves a read-only file away", (folder) =>
    when(`mv -f ${folder}/fact /workspace/moved`),
  ),
  changing("puts a file in place of a read-only one", (folder) =>
    when(`echo x >/tmp/other && mv -f /tmp/other ${folder}/fact`),
  ),
  changing("changes the mode of a read-only file", (folder) => when(`chmod 777 ${folder}/fact`)),
  changing("changes the times of a read-only file", (folder) => when(`touch -d @1 ${folder}/fact`)),
  changing("opens a read-only file anew for writing", (folder) =>
    when(`( exec 7<${folder}/fact && echo x >/proc/self/fd/7 )`),
  ),
  changing("writes to a read-only file through the root of a process", (folder) =>
    when(`echo x >>/proc/self/root${folder}/fact`),
  ),
  changing("writes to a read-only file through a link", (folder) =>
    when(`ln -sfn ${folder}/fact /tmp/link && echo x >>/tmp/link`),
  ),
  changing("gives a read-only file a second name to write to", (folder) => {
    // Where two folders are one file system, a hard link is a way from one to the other.
    const elsewhere = folder === facts ? `${notes}/second /workspace/second` : `${notes}/in/second`;
    const tried = elsewhere.split(" ").map((place) => `ln -f ${folder}/fact ${place}`);
    return when(tried.join(" || "));
  }),
];

const moving: Attack[] = ["mv -T FOLDER /mnt/memory/away", "rmdir FOLDER"].map((line): Attack => ({
  name: `puts a folder out of its place: ${line}`,
  line: () => when(line.replace("FOLDER", facts)),
  control: {
    by: "another line",
    line: () => `mkdir /mnt/memory/own; ${when(line.replace("FOLDER", "/mnt/memory/own"))}`,
  },
}));

const mounting: Attack[] = [
  {
    name: "mounts a read-only folder anew to write to it",
    line: () => when(`mount -o remount,bind,rw ${facts}`),
    control: {
      by: "outside",
      line: () =>
        when("unshare -m sh -c 'mount -t tmpfs -o ro x /mnt && mount -o remount,rw /mnt'"),
      isForRoot: true,
    },
  },
  {
    name: "mounts a folder of its own over a read-only one",
    line: () => when(`mount --bind /workspace ${facts}`),
    control: {
      by: "outside",
      line: () => when("unshare -m mount --bind /tmp /mnt"),
      isForRoot: true,
    },
  },
  {
    name: "takes a read-only folder away from over what lies below it",
    line: () => when(`umount -l ${facts}`),
    control: {
      by: "outside",
      line: () => when("unshare -m sh -c 'mount -t tmpfs x /mnt && umount -l /mnt'"),
      isForRoot: true,
    },
  },
];

const sizes: Attack[] = [
  {
    name: "reads a file of the host through a link in a writable folder",
    line: ({ secretFile }) =>
      when(`ln -sfn ${secretFile} ${notes}/link && grep -q SECRET ${notes}/link`),
    control: {
      by: "outside",
      line: ({ secretFile }) => when(`ln -sfn ${secretFile} link && grep -q SECRET link`),
    },
  },
  {
    name: "fills a writable folder beyond the workspace",
    line: () =>
      `for n in {1..48}; do head -c ${mib} /dev/zero >${notes}/many$n || break; done 2>/dev/null; ${when(`[ $(cat ${notes}/many* | wc -c) -ge ${48 * mib} ]`)}`,
    limits: { workspaceBytes: 32 * mib },
    guarantee: "disk",
    control: looser({ workspaceBytes: 128 * mib }),
  },
  {
    name: "makes 100,000 files in a writable folder",
    line: () =>
      `perl -e 'for (1..100_000) { open F, ">${notes}/$_" or exit } ${shout}'; rm -rf ${notes}/*`,
    limits: { workspaceBytes: 32 * mib },
    guarantee: "disk",
    control: looser({ workspaceBytes: 2048 * mib }),
  },
  {
    name: "fills a folder in memory",
    line: () => when(`head -c ${24 * mib} /dev/zero >/mnt/memory/fill`),
    limits: { tmpBytes: 16 * mib },
    control: looser({ tmpBytes: 64 * mib }),
  },
];

export const folderAttacks: readonly Attack[] = [...changes, ...moving, ...mounting, ...sizes];
