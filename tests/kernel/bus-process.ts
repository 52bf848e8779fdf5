// Another process on the bus: does what its standard input says, line by line, and tells on standard output.
import { createInterface } from "node:readline";
import { systemClock } from "../../kernel/base/clock.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { makeBus } from "../../kernel/bus/bus.ts";
import { joinMachine } from "../../kernel/bus/machine.ts";

export type Order =
  | { act: "listen"; channel: string; answerOn?: string }
  | { act: "publish"; channel: string; data: string[] };

const [directory = ""] = process.argv.slice(2);
const world = { clock: systemClock, logger: silentLogger, random: systemRandom };
const hub = makeBus({ logger: silentLogger, lost: () => {} });
const leave = await joinMachine(world, hub, directory);
const tell = (fact: object) => process.stdout.write(`${JSON.stringify(fact)}\n`);

const orders = createInterface({ input: process.stdin });
orders.on("line", (line) => {
  const order = JSON.parse(line) as Order;
  if (order.act === "publish") for (const data of order.data) hub.publish(order.channel, data);
  if (order.act !== "listen") return;
  const { channel, answerOn } = order;
  hub.subscribe(channel, (data) => {
    if (answerOn === undefined) tell({ channel, data });
    else hub.publish(answerOn, data);
  });
});
orders.on("close", () => void leave().then(() => process.exit()));
tell({ ready: true });
