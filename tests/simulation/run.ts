// Replays one simulation: node tests/simulation/run.ts --seed 7 --steps 3000, with --batches 8 that of batches,
// with --leases that of the holder of leases, with --memory that of memory stores (its processes wait for one row:
// whose turn comes first, PostgreSQL decides)
import { parseArgs } from "node:util";
import { simulateBatches } from "./batches.ts";
import { simulateLeases } from "./leases.ts";
import { simulateMemory } from "./memory.ts";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "3000" },
    trace: { type: "boolean", default: false },
    count: { type: "string", default: "1" },
    batches: { type: "string", default: "0" },
    leases: { type: "boolean", default: false },
    memory: { type: "boolean", default: false },
  },
});

const show = values.trace ? (line: string) => console.log(line) : undefined;

for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.count); seed++) {
  const [steps, batches] = [Number(values.steps), Number(values.batches)];
  const result = values.leases
    ? await simulateLeases(seed, { steps, faultChance: 0.01, isStarved: true }, show)
    : values.memory
      ? await simulateMemory(seed, steps, show)
      : batches > 0
        ? await simulateBatches(seed, { steps, batches }, show)
        : await simulate(seed, steps, show);
  console.log(JSON.stringify({ seed, ...result }));
}
