// Where the sockets of the bus lie: the path of one has little room.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { socketDirectory } from "./machine.ts";

test("[BUS6] sockets lie in the data directory, or elsewhere where its path is too long for one", () => {
  const temporary = mkdtempSync(join(tmpdir(), "plinth-bus-"));
  try {
    const short = socketDirectory(temporary);
    assert.equal(short, join(temporary, "bus"));
    assert.equal(statSync(short).mode & 0o777, 0o700);
    const long = (letter: string) => join(temporary, letter.repeat(100));
    const elsewhere = socketDirectory(long("a"), temporary);
    assert.match(elsewhere, /\/plinth-bus-[0-9a-f]{16}$/);
    assert.equal(socketDirectory(long("a"), temporary), elsewhere);
    assert.notEqual(socketDirectory(long("b"), temporary), elsewhere);

    chmodSync(elsewhere, 0o755);
    assert.throws(() => socketDirectory(long("a"), temporary), /not a directory of this user's/);
    rmSync(elsewhere, { recursive: true });
    symlinkSync(short, elsewhere);
    assert.throws(() => socketDirectory(long("a"), temporary), /not a directory of this user's/);
  } finally {
    rmSync(temporary, { recursive: true });
  }
});
