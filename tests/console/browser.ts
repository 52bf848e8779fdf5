// A real browser for tests, one a process: a fresh profile for each seat, and every complaint of a page is kept.
import assert from "node:assert/strict";
import chromium from "@sparticuz/chromium";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  chromium as playwright,
  type Browser,
  type BrowserContext,
  type Page,
  type Route,
} from "playwright-core";
import { ensureConsole } from "../../tools/console.ts";
import { shared, sharesBetweenFiles } from "../shared.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { watchTraffic } from "./settled.ts";

const build = join(import.meta.dirname, "../../build");

export interface Look {
  scheme?: "light" | "dark";
  width?: number;
  height?: number;
  /** As the machine has it, which may be none that a browser knows. */
  ownLanguage?: true;
}

/** One person at one browser. */
export interface BrowserSession extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Console errors, uncaught errors and violations of the content security policy so far. */
  problems: string[];
  /** Takes complaints that a test provokes on purpose out of the list. */
  expect(complaint: RegExp): string[];
}

export interface Browsers extends AsyncDisposable {
  openSession(look?: Look): Promise<BrowserSession>;
}

export async function openBrowser(): Promise<Browsers> {
  assert.ok(ensureConsole(), "the console does not build");
  const isShared = sharesBetweenFiles();
  const { browser } = isShared
    ? await shared("browser", launch, (one) => one.browser.isConnected())
    : await launch();
  const contexts: BrowserContext[] = [];
  return {
    openSession: (look) => sitDown(browser, contexts, look),
    [Symbol.asyncDispose]: async () => {
      for (const context of contexts) await context.close();
      if (!isShared) await browser.close();
    },
  };
}

async function launch() {
  // Not the package's own flags: they put all in one process, which dies with the first closed page, and they turn
  // the same-origin policy off, which we are here to see at work.
  const browser = await playwright.launch({
    executablePath: await unpacked(),
    args: ["--no-sandbox", "--font-render-hinting=none"],
    // A machine without a language, for those who want it: this browser names `en-US@posix` then.
    env: { ...process.env, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" },
  });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

/**
 * The package unpacks into the system's temporary directory and takes a half-written file of another process for a
 * whole one; here each process unpacks into a directory of its own, and the first to finish gives it its name.
 */
async function unpacked(): Promise<string> {
  const home = join(build, "chromium");
  const executable = join(home, "chromium");
  if (existsSync(executable)) return executable;
  mkdirSync(build, { recursive: true });
  const own = mkdtempSync(join(build, "unpacking-"));
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = own;
  try {
    await chromium.executablePath();
    renameSync(own, home);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(executable)) throw error;
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
  return executable;
}

/** `g` and a letter, as quick as a hand: both are on their way before the browser has answered for the first. */
export async function goKeys({ keyboard }: Page, letter: string): Promise<void> {
  await Promise.all([keyboard.press("g"), keyboard.press(letter)]);
}

/**
 * PLINTH_TEST_LATE=800: what a page asks for comes up to so many milliseconds late and out of order, as on a busy
 * machine: a test that passes only while answers come in one order is found at home.
 */
const lateMs = Number(process.env["PLINTH_TEST_LATE"] ?? 0);

async function comeLate(route: Route): Promise<void> {
  await setTimeout(Math.random() * lateMs);
  // The page may have gone elsewhere meanwhile.
  await route.fallback().catch(() => undefined);
}

async function sitDown(
  browser: Browser,
  contexts: BrowserContext[],
  { scheme = "light", width = 1280, height = 800, ownLanguage }: Look = {},
): Promise<BrowserSession> {
  const context = await browser.newContext({
    ...(ownLanguage === undefined && { locale: "en-US" }),
    viewport: { width, height },
    colorScheme: scheme,
    // Motion would be half-way in pictures, and blends colours while axe reads them.
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  contexts.push(context);
  // A busy machine is slow; what never comes fails all the same.
  context.setDefaultTimeout(testTimeoutMs);
  if (lateMs > 0) await context.route(/\/(console\/api|v1)\//, comeLate);
  await watchTraffic(context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  return {
    page,
    context,
    problems,
    expect: (complaint) => {
      const found = problems.filter((problem) => complaint.test(problem));
      for (const problem of found) problems.splice(problems.indexOf(problem), 1);
      return found;
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
