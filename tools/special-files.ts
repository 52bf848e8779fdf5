// Which test files are special, each with its reason.

/** They hold a time against a promise: run one by one, in a process of their own, when all others have ended. */
export const exclusiveFiles: ReadonlyMap<string, string> = new Map([
  ["tests/bad-days/drain.test.ts", "a drain of 1 s ends within 3 s"],
  ["tests/bad-days/unreachable.test.ts", "a database that is not there is refused within 15 s"],
  ["tests/bad-days/lame-duck.test.ts", "clients must ask while a server leaves, for 2 s"],
  ["tests/bad-days/mcp-many-calls.test.ts", "a thousand calls have connections within 10 s"],
  ["tests/conformance/mcp-client-suite.test.ts", "the suite waits for its client for so long"],
  ["tests/conformance/mcp-server-suite.test.ts", "the suite waits half a second for some answers"],
  ["tests/kernel/http-listen.test.ts", "a request beside 1,500 connections takes less than 250 ms"],
  [
    "tests/kernel/sql-silence-watch.test.ts",
    "a silent database is given up after 8 s, and asked in 200 ms",
  ],
  ["tests/rules/batches-work.test.ts", "batches that wait hold up no others: 1,510 items in 13 s"],
  ["tests/rules/sessions-interrupts.test.ts", "an interrupted session is idle within 1 s"],
  ["tests/rules/sessions-sandboxes-interrupts.test.ts", "an interrupted call ends within 1 s"],
  ["tests/rules/simulator.test.ts", "30 tokens at 100 a second come within 3 s"],
]);

/**
 * What only a change of the part itself could break, at a price: `npm run ci` runs it, and so does `npm test` with
 * `--all` or with a word of the path.
 */
export const maintainerFiles: ReadonlyMap<string, string> = new Map([
  ["tests/bad-days/drain.test.ts", "starts five servers that are stopped in the middle of work"],
  ["tests/bad-days/first-start.test.ts", "starts servers that are killed, each time a bit later"],
  ["tests/bad-days/full-disk.test.ts", "fills a disk of its own, for which it must be root"],
  ["tests/bad-days/lame-duck.test.ts", "restarts servers under load, four times"],
  ["tests/bad-days/lost-database.test.ts", "waits for databases that are killed and come back"],
  ["tests/bad-days/mcp-client-tasks.test.ts", "kills servers at each step of a task, eight times"],
  ["tests/bad-days/mcp-hostile.test.ts", "waits for the time-outs of a dozen hostile servers"],
  ["tests/bad-days/mcp-questions.test.ts", "kills servers while questions are open, four times"],
  ["tests/bad-days/mcp-tasks.test.ts", "kills servers at each step of a task, five times"],
  ["tests/bad-days/refusals.test.ts", "starts a dozen servers that refuse to run"],
  ["tests/bad-days/unreachable.test.ts", "waits ten seconds for a database"],
  ["tests/console/agents-looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/console/batches-looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/console/environments-looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/console/files-looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/console/looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/console/members-looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/console/memory-looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/console/skills-looks.test.ts", "pages in two schemes at many sizes"],
  ["tests/environment-worker/worker-killed.test.ts", "kills a worker at each of its requests"],
  ["tests/kernel/sql-embedded.test.ts", "kills databases and waits for their grace to pass"],
  [
    "tests/kernel/sql-cluster-paths.test.ts",
    "makes clusters for other users, damaged ones, full disks",
  ],
  ["tests/money/batches.test.ts", "kills and freezes servers beneath batches for a minute"],
  ["tests/money/chaos.test.ts", "kills servers and the database beneath requests"],
  ["tests/properties/memory-servers.test.ts", "kills servers beneath 64 writers"],
]);
