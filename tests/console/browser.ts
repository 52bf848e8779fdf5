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
import { until } from "../kernel/http-harness.ts";
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
  /** A test that asks for it may leave anything in it: it is closed after that test, and not lent again. */
  readonly context: BrowserContext;
  /** A cookie as a reply would have set it, `name=value`; also those of this host alone, which a page cannot set. */
  takeCookie(url: string, cookie: string): Promise<void>;
  /** Console errors, uncaught errors and violations of the content security policy so far. */
  problems: string[];
  /**
   * Takes complaints that a test provokes on purpose out of the list, as soon as there are so many: a browser tells
   * of a refused request at its own pace, often after the page shows it.
   */
  expect(complaint: RegExp, times?: number): Promise<void>;
  /** Complaints that come in one browser and not in another: they are kept no more. */
  allow(complaint: RegExp): void;
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
  const contexts = new Set<BrowserContext>();
  const free = new Map<string, BrowserContext[]>();
  return {
    openSession: async (look = {}) => {
      const kind = JSON.stringify(look);
      const lent = free.get(kind)?.pop();
      const context = lent ?? (await openContext(browser, look));
      contexts.add(context);
      return sitDown(context, async (isClean) => {
        if (isClean) free.set(kind, [...(free.get(kind) ?? []), context]);
        else await context.close();
      });
    },
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
 * PLINTH_TEST_LATE=800: what a page asks for comes up to so many milliseconds late and out of order, and what closes
 * stays for as long, as on a busy machine: a test that passes only while answers come in one order, or while nothing
 * of a dialog that was closed stands beside what it opened, is found at home.
 */
const lateMs = Number(process.env["PLINTH_TEST_LATE"] ?? 0);

const closeLate = `{
  const slow = new CSSStyleSheet();
  slow.replaceSync(
    "[data-ending-style] { transition: opacity ${lateMs}ms linear !important; opacity: 0.5 !important }",
  );
  document.adoptedStyleSheets.push(slow);
}`;

async function comeLate(route: Route): Promise<void> {
  await setTimeout(Math.random() * lateMs);
  // The page may have gone elsewhere meanwhile.
  await route.fallback().catch(() => undefined);
}

async function openContext(
  browser: Browser,
  { scheme = "light", width = 1280, height = 800, ownLanguage }: Look,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...(ownLanguage === undefined && { locale: "en-US" }),
    viewport: { width, height },
    colorScheme: scheme,
    // Motion would be half-way in pictures, and blends colours while axe reads them.
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  // A busy machine is slow; what never comes fails all the same.
  context.setDefaultTimeout(testTimeoutMs);
  if (lateMs > 0) {
    await context.route(/^http/, comeLate);
    await context.addInitScript(closeLate);
  }
  await watchTraffic(context);
  return context;
}

/** `leave` is told whether the context is as it was, but for what the browser remembers of immutable files. */
async function sitDown(
  context: BrowserContext,
  leave: (isClean: boolean) => Promise<void>,
): Promise<BrowserSession> {
  const page = await context.newPage();
  const problems: string[] = [];
  const origins = new Set<string>();
  const allowed: RegExp[] = [];
  const complain = (problem: string) => {
    if (!allowed.some((each) => each.test(problem))) problems.push(problem);
  };
  const take = (taken: readonly string[]) => {
    for (const problem of taken) problems.splice(problems.indexOf(problem), 1);
  };
  let isOwn = true;
  page.on("framenavigated", (frame) => origins.add(new URL(frame.url()).origin));
  page.on("pageerror", (error) => complain(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complain(`${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  return {
    page,
    get context() {
      isOwn = false;
      return context;
    },
    problems,
    expect: async (complaint, times) => {
      const find = () => problems.filter((problem) => complaint.test(problem));
      await until(() => find().length >= (times ?? 1), `${times ?? 1} complaints of ${complaint}`);
      take(find().slice(0, times));
    },
    allow: (complaint) => {
      allowed.push(complaint);
      take(problems.filter((problem) => complaint.test(problem)));
    },
    takeCookie: async (url, cookie) => {
      const end = cookie.indexOf("=");
      const driver = await context.newCDPSession(page);
      const { success } = await driver.send("Network.setCookie", {
        url,
        name: cookie.slice(0, end),
        value: cookie.slice(end + 1),
        path: "/",
        secure: true,
        httpOnly: true,
        sameSite: "Lax",
      });
      assert.ok(success, "the browser does not take the cookie");
      await driver.detach();
    },
    [Symbol.asyncDispose]: async () => {
      const isClean = isOwn && !page.isClosed();
      if (isClean) await forget(page, origins);
      await leave(isClean);
    },
  };
}

/** What a page has left behind. */
async function forget(page: Page, origins: Set<string>): Promise<void> {
  const context = page.context();
  // First all pages: one that is alive writes again what is taken away.
  const blank = await context.newPage();
  for (const each of context.pages()) if (each !== blank) await each.close();
  const driver = await context.newCDPSession(blank);
  for (const origin of origins)
    await driver.send("Storage.clearDataForOrigin", {
      origin,
      storageTypes: "local_storage,indexeddb,cache_storage,service_workers",
    });
  await context.clearCookies();
  await blank.close();
}
