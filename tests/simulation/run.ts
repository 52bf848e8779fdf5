// Replays one simulation: node tests/simulation/run.ts --seed 7 --steps 3000
import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "3000" },
    trace: { type: "boolean", default: false },
    count: { type: "string", default: "1" },
  },
});

const show = values.trace ? (line: string) => console.log(line) : undefined;

for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.count); seed++) {
  const result = await simulate(seed, Number(values.steps), show);
  console.log(JSON.stringify({ seed, ...result }));
}
