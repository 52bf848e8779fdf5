// Replays one simulation: node tests/simulation/run.ts --seed 7 --steps 3000, or with --batches 8 that of batches
import { parseArgs } from "node:util";
import { simulateBatches } from "./batches.ts";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "3000" },
    trace: { type: "boolean", default: false },
    count: { type: "string", default: "1" },
    batches: { type: "string", default: "0" },
  },
});

const show = values.trace ? (line: string) => console.log(line) : undefined;

for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.count); seed++) {
  const [steps, batches] = [Number(values.steps), Number(values.batches)];
  const result =
    batches > 0
      ? await simulateBatches(seed, { steps, batches }, show)
      : await simulate(seed, steps, show);
  console.log(JSON.stringify({ seed, ...result }));
}
