// The watcher: a tiny shell that reads a fifo whose write end every owner of the database holds open. When
// the last owner is gone, however it went, end-of-file arrives, and after a grace the database is stopped.
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  rmdirSync,
  writeSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ExitError } from "../../base/failure.ts";
import type { ClusterPaths } from "./cluster-paths.ts";

const startMsMax = 10_000;

// Not a Node process: dash takes 1 MB, Node 45. The timer is armed before each wait for an owner, so that
// a watcher whose owner never comes ends too. A pid counts only while its command line names the data
// directory: pids are reused, and a dead postmaster may stay a zombie where no parent reaps it; and it counts
// a moment longer than its file, which goes before the process does. Descriptor 4 keeps a reader on the fifo
// between two owners: without one, a newcomer would start a second watcher.
const script = `
data=$1 fifo=$2 grace=$3
[ -p "$fifo" ] || mkfifo -m 600 "$fifo" || exit 1
pid=
running() {
  named=
  { read -r named <"$data/postmaster.pid"; } 2>/dev/null
  pid=\${named:-$pid}
  [ -n "$pid" ] || return 1
  if [ -r /proc/self/cmdline ]; then
    { tr '\\0' '\\n' <"/proc/$pid/cmdline" | grep -Fxq -e "$data"; } 2>/dev/null
  else
    ps -o command= -p "$pid" | grep -Fq -e "$data"
  fi
}
stop() {
  signal=INT
  while running; do
    kill -$signal "$pid" 2>/dev/null
    waits=0
    while running && [ $waits -lt 600 ]; do
      sleep 0.05
      waits=$((waits + 1))
    done
    signal=QUIT
  done
}
while :; do
  ( exec 3<&- 4<&-; sleep "$grace" & trap 'kill $!; wait $!; exit' TERM; wait $!; stop; kill $$ ) &
  timer=$!
  exec 3<"$fifo"
  exec 4<&3
  kill $timer 2>/dev/null
  wait $timer 2>/dev/null
  while read -r word <&3; do
    if [ "$word" = stop ]; then stop; exit; fi
  done
  exec 3<&-
done
`;

export interface OwnerProcess {
  /** Whether a watcher is listening; false means that it must be started again. */
  beat(): boolean;
  /** Gives up the ownership, and says whether it was the last. */
  leave(): boolean;
}

/** Becomes an owner; starts a watcher when there is none. Call it under the lock. */
export async function registerOwnerProcess(
  paths: ClusterPaths,
  graceMs: number,
  clock: Clock,
): Promise<OwnerProcess> {
  const fifo = join(paths.run, "owners");
  const deadlineMs = clock.monotonicMs() + startMsMax;
  let end = openWriteEnd(fifo);
  if (end === undefined) startWatcher(paths, fifo, graceMs);
  while (end === undefined) {
    if (clock.monotonicMs() > deadlineMs)
      throw new ExitError(
        `The watcher of the built-in database did not start; it needs /bin/sh, mkfifo and ${paths.run}.`,
      );
    await clock.sleep(5);
    end = openWriteEnd(fifo);
  }
  const descriptor = end;
  return {
    beat: () => send(descriptor, "here\n"),
    leave: () => {
      closeSync(descriptor);
      return !hasWriters(fifo);
    },
  };
}

/** Has the watcher stop the database and end. Call it under the lock, once `leave` said "the last". */
export async function stopNow(paths: ClusterPaths, clock: Clock): Promise<void> {
  const fifo = join(paths.run, "owners");
  let end = openWriteEnd(fifo);
  if (end === undefined) {
    startWatcher(paths, fifo, 0);
    const deadlineMs = clock.monotonicMs() + startMsMax;
    while (end === undefined && clock.monotonicMs() < deadlineMs) {
      await clock.sleep(5);
      end = openWriteEnd(fifo);
    }
  }
  if (end === undefined) return;
  send(end, "stop\n");
  closeSync(end);
  for (;;) {
    const probe = openWriteEnd(fifo);
    if (probe === undefined) break;
    closeSync(probe);
    await clock.sleep(10);
  }
  // A short socket directory lies in the shared temporary directory: it goes with its last user.
  if (paths.socketDirectory !== paths.run && existsSync(paths.socketDirectory))
    rmdirSync(paths.socketDirectory);
}

function startWatcher(paths: ClusterPaths, fifo: string, graceMs: number): void {
  const args = ["-c", script, "plinth-postgres-watcher", paths.data, fifo, `${graceMs / 1000}`];
  const child = spawn("/bin/sh", args, {
    ...paths.account.ids,
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" },
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => {}); // shows as a fifo without a reader
  child.unref();
}

function openWriteEnd(fifo: string): number | undefined {
  try {
    return openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENXIO" || code === "ENOENT") return undefined;
    throw error;
  }
}

/** End-of-file on a non-blocking read means that no process holds the write end. */
function hasWriters(fifo: string): boolean {
  if (!existsSync(fifo)) return false; // the data directory was removed meanwhile
  const end = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    // The bytes that others sent are only beats.
    for (;;) if (readSync(end, Buffer.alloc(4096)) === 0) return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return true;
    throw error;
  } finally {
    closeSync(end);
  }
}

function send(descriptor: number, line: string): boolean {
  try {
    writeSync(descriptor, line);
    return true;
  } catch (error) {
    // A full pipe means a reader that is slow, not one that is gone.
    return (error as NodeJS.ErrnoException).code === "EAGAIN";
  }
}
