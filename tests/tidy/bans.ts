// What nobody calls outside the part that owns it, each with what to use instead.
import { importsOf } from "./arrows.ts";
import { codeOf, isScript, isTest, linesWith, type Rule, type Violation } from "./source.ts";

interface Ban {
  what: string;
  pattern: RegExp;
  instead: string;
  /** Where it is banned. */
  within: readonly string[];
  /** Where it is allowed all the same. */
  except?: readonly string[];
}

/** The parts that must run the same in a simulation: nothing of the world but what is handed in. */
const product = ["server/", "cli/", "client/", "bin.ts"];
/** The browser has its own clock and timers, and no simulation; the rest holds there too. */
const withConsole = [...product, "console/"];
const everywhere = [...withConsole, "kernel/", "tests/", "tools/", "bench/"];

export const bans: readonly Ban[] = [
  {
    what: "a native select",
    pattern: /<select\b/,
    instead: "SelectField or FilterSelect of console/kit/form/select.tsx",
    within: ["console/"],
  },
  {
    what: "Date.now",
    pattern: /\bDate\.now\b/,
    instead: "context.clock.now() or clock.monotonicMs()",
    within: product,
  },
  {
    what: "new Date() without a time",
    pattern: /\bnew Date(\(\s*\)|\b(?!\s*\())/,
    instead: "context.clock.now()",
    within: product,
  },
  {
    what: "performance.now",
    pattern: /\bperformance\.now\b/,
    instead: "context.clock.monotonicMs()",
    within: product,
  },
  {
    what: "Math.random",
    pattern: /\bMath\.random\b/,
    instead: "context.random, or context.ids for a key",
    within: withConsole,
  },
  {
    what: "process.env",
    pattern: /\bprocess\.env\b/,
    instead: "the settings that are handed in at the start",
    within: withConsole,
    except: ["bin.ts", "server/commands/settings.ts"],
  },
  {
    what: "fetch()",
    pattern: /(?<![.\w])(globalThis\.)?fetch\s*\(/,
    instead: "contract/client.ts in console and cli, the upstream of server/models in the server",
    within: withConsole,
  },
  {
    what: "a timer",
    pattern: /\b(setTimeout|setInterval|setImmediate)\s*\(/,
    instead: "context.clock.sleep(), or a job or schedule of kernel/jobs",
    within: product,
  },
  {
    what: "randomness of node:crypto",
    pattern: /\b(randomBytes|randomInt|randomUUID|getRandomValues|randomFill(Sync)?)\b/,
    instead: "Random of kernel/base/random.ts, Ids of kernel/base/ids.ts, or kernel/secret",
    within: [...withConsole, "kernel/"],
    // The last two: names of files and folders that must differ between processes, also in a simulation.
    except: [
      "kernel/base/random.ts",
      "kernel/secret/",
      "kernel/blob/",
      "kernel/sql/embedded/cluster-paths.ts",
    ],
  },
  {
    what: "other bytes in each run of a test",
    pattern: /\b(Math\.random|randomBytes|randomInt|getRandomValues|randomFill(Sync)?)\b/,
    instead: "seededRandom() of kernel/base/random.ts: what two bytes decide is red once in 65,536",
    within: ["tests/"],
    // Times of what comes late; a verifier that a sign-in wants to be new.
    except: ["tests/console/browser.ts", "tests/rules/authorizations-house.ts", "tests/tidy/"],
  },
  {
    what: "argon2, scrypt or pbkdf2",
    pattern: /\b(argon2(Sync)?|scrypt(Sync)?|pbkdf2(Sync)?)\b/,
    instead: "the password functions of kernel/secret",
    within: [...withConsole, "kernel/"],
    except: ["kernel/secret/"],
  },
  {
    what: "JSON.parse",
    pattern: /\bJSON\.parse\b/,
    instead: "parseExactly() of kernel/base/exact-json.ts: the engine misreads names with escapes",
    within: ["server/", "kernel/base/json.ts", "kernel/http/input/body.ts", "kernel/sql/"],
    // Texts of our own; a text without names; a copy of a schema of ours.
    except: [
      "server/batches/results/result-lines.test.ts",
      "server/batches/intake/scanner.ts",
      "server/messages/validate/body.ts",
    ],
  },
  {
    what: "a WeakMap by world",
    pattern: /\bnew WeakMap\s*<\s*(World|Context|Database)\b/,
    instead:
      "part() of kernel/work/parts.ts: made once for each process, and listed in server/app.ts",
    within: ["server/"],
  },
  {
    what: "as any",
    pattern: /\bas any\b/,
    instead: "unknown and a check, or the type itself",
    within: everywhere,
  },
  {
    what: "a default export",
    pattern: /\bexport default\b|\bexport\s*\{[^}]*\bas default\b/,
    instead: "a named export: one name wherever it is used",
    within: everywhere,
    // Both are asked for it: by vite, by node:test.
    except: ["console/vite.config.ts", "tools/test-worker-report.ts"],
  },
  {
    what: "a pattern without words",
    pattern: /\bpattern:\s*(["'`]|\w+Pattern\b)/,
    instead: "worded() of kernel/base/patterns.ts: a caller is shown no regular expression",
    within: product,
  },
  {
    what: "an enum or a namespace",
    pattern: /^\s*(export\s+)?(declare\s+)?(const\s+)?(enum|namespace)\s+\w/,
    instead: "a union of literals, or a plain object",
    within: everywhere,
  },
];

export const banned: Rule = (sources) =>
  sources.filter(isScript).flatMap(({ path, text }) => {
    const code = codeOf(text);
    return bans.flatMap(({ what, pattern, instead, within, except = [] }): Violation[] => {
      const starts = (prefix: string) => path.startsWith(prefix);
      if (!within.some(starts) || except.some(starts)) return [];
      return linesWith(code, pattern).map((line) => ({
        rule: "banned",
        path,
        message: `line ${line} uses ${what}: use ${instead}.`,
      }));
    });
  });

/** `import { randomBytes as r }` is caught by name above; a whole-module import would hide the names. */
export const cryptoByName: Rule = (sources) =>
  sources.filter(isScript).flatMap((source): Violation[] => {
    const imports = importsOf(source).some(({ specifier }) => /^(node:)?crypto$/.test(specifier));
    if (!imports || source.path.startsWith("tests/")) return [];
    if (!/\bimport\s+(\*\s+as\s+\w+|\w+)[^;]*?from\s+["'](node:)?crypto["']/.test(source.text))
      return [];
    const message = "imports node:crypto as a whole: import the functions by name.";
    return [{ rule: "crypto-by-name", path: source.path, message }];
  });

/** A test that nobody runs says nothing. A skip with a reason that is worked out at run time is fine. */
export const sleepingTests: Rule = (sources) =>
  sources.filter(isTest).flatMap(({ path, text }) =>
    linesWith(
      codeOf(text),
      /\b(test|it|describe|suite)\.(skip|only|todo)\b|\b(skip|only|todo):\s*true\b|\b[tT]?est?\.(skip|todo)\(\s*\)/,
    ).map((line) => ({
      rule: "sleeping-tests",
      path,
      message: `line ${line} switches tests off or others out: make it pass, or remove it.`,
    })),
  );

/** Waiting for a while is too short one day and too long each day; a test waits until something holds. */
export const waitsForAWhile: Rule = (sources) =>
  sources
    .filter((source) => isScript(source) && source.path.startsWith("tests/"))
    .flatMap(({ path, text }) =>
      linesWith(text, /["'`]networkidle["'`]|\.waitForTimeout\s*\(/).map((line) => ({
        rule: "waits-for-a-while",
        path,
        message: `line ${line} waits for a while: use settled() of tests/console/settled.ts, or wait for what the test is about.`,
      })),
    );
