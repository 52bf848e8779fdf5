// When a page has all that it asked for: a level, which can be looked at whenever and as often as one likes.
import assert from "node:assert/strict";
import type { BrowserContext, Page, Request } from "playwright-core";

/** What the browser is fetching for a page, and how often it began. */
interface Traffic {
  open: Set<Request>;
  begun: number;
}

const trafficOf = new WeakMap<Page, Traffic>();

/**
 * The page counts for itself from the call of fetch until the body is read: the browser tells of a request only
 * when it is on its way, and of its end before the page has seen it.
 */
const countAsks = `{
  const asks = { open: 0, begun: 0 };
  const counted = (waiting) => {
    asks.open += 1;
    asks.begun += 1;
    return waiting.finally(() => { asks.open -= 1; });
  };
  const { fetch } = window;
  window.fetch = (...all) => counted(fetch(...all));
  for (const name of ["text", "json", "blob", "arrayBuffer"]) {
    const read = Response.prototype[name];
    Response.prototype[name] = function () { return counted(read.call(this)); };
  }
  window.asksOfPage = asks;
}`;

/** A frame, and the timers behind it: what an answer changes is on the screen then. */
const twoQuietFrames = `(async () => {
  const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
  const { asksOfPage: asks = { open: 0, begun: 0 } } = window;
  const isBusy = () =>
    asks.open > 0 || document.querySelector("[role=status] > .sr-only, [aria-busy=true]") !== null;
  const { begun } = asks;
  const before = isBusy();
  await frame();
  await frame();
  return !before && !isBusy() && begun === asks.begun;
})()`;

/** Before the first page of a seat. */
export async function watchTraffic(context: BrowserContext): Promise<void> {
  await context.addInitScript(countAsks);
  context.on("page", (page) => {
    const traffic: Traffic = { open: new Set(), begun: 0 };
    trafficOf.set(page, traffic);
    page.on("request", (request) => {
      if (isEndless(request)) return;
      traffic.open.add(request);
      traffic.begun += 1;
    });
    page.on("requestfinished", (request) => traffic.open.delete(request));
    page.on("requestfailed", (request) => traffic.open.delete(request));
  });
}

/** A page that follows a session has a stream open for as long as it is there. */
const isEndless = (request: Request) => new URL(request.url()).pathname.endsWith("/stream");

/** Waits until nothing has been asked for two frames, nothing is on its way, and no part says that it is loading. */
export async function settled(page: Page, withinMs = 45_000): Promise<void> {
  const traffic = trafficOf.get(page);
  assert.ok(traffic !== undefined, "nobody watches what this page asks");
  const end = performance.now() + withinMs;
  await page.locator("h1").waitFor();
  for (;;) {
    const { begun } = traffic;
    const isQuiet = await hasTwoQuietFrames(page);
    if (isQuiet && traffic.open.size === 0 && begun === traffic.begun) return;
    const open = [...traffic.open].map((request) => request.url()).join(" ");
    assert.ok(performance.now() < end, `not settled within ${withinMs} ms; open: ${open}`);
  }
}

async function hasTwoQuietFrames(page: Page): Promise<boolean> {
  try {
    return await page.evaluate<boolean>(twoQuietFrames);
  } catch (error) {
    // It went to another page meanwhile, which is anything but quiet.
    if (error instanceof Error && /context was destroyed|navigation/i.test(error.message))
      return false;
    throw error;
  }
}
