// The bus as servers have it: started with them, among the processes of one machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { busPart } from "../../kernel/bus/part.ts";
import { openHouse } from "../house.ts";
import { isHeard, listenTo, openBusHarness } from "./bus-harness.ts";
import { until } from "./jobs-harness.ts";

test("[BUS1] a server is on the bus of its data directory", async () => {
  await using house = await openHouse();
  await using h = openBusHarness(house.world.busOptions.directory);
  const beside = await h.join();
  const bus = busPart.of(house.world);
  const [theirs, ours] = [listenTo(beside.hub, "news"), listenTo(bus, "news")];
  await isHeard("it is heard", bus, "news", theirs.isReached);
  bus.publish("news", "one");
  await until("it has come", () => theirs.heard.length > 0);
  assert.deepEqual([theirs.heard, ours.heard], [["one"], ["one"]]);
  ours.leave();
  theirs.leave();
});
