// What is planted for the rules about rooms, small files, circles and limits, and how a file is planted.
import type { Source } from "./source.ts";

export interface Case {
  rule: string;
  /** What stands in the sentence that is expected. */
  says: RegExp;
  bad: Source[];
  good: Source[];
}

export const file = (path: string, ...lines: string[]): Source => ({
  path,
  text: `${lines.join("\n")}\n`,
});
export const importing = (path: string, specifier: string) =>
  file(path, `import { x } from "${specifier}";`);
export const importingType = (path: string, specifier: string) =>
  file(path, `import type { X } from "${specifier}";`);
const long = (path: string, lines: number) =>
  file(path, ...Array.from({ length: lines }, () => "// x"));

export const roomCases: readonly Case[] = [
  {
    rule: "arrows",
    says: /server\/environment_worker reaches/,
    bad: [importing("server/environment_worker/x.ts", "../keys/module.ts")],
    good: [importing("server/environment_worker/x.ts", "../sandboxes/module.ts")],
  },
  {
    rule: "banned",
    says: /SelectField/,
    bad: [file("console/keys/x.tsx", "const a = <select />;")],
    good: [file("console/keys/x.tsx", "const a = <SelectField />;")],
  },
  {
    rule: "file-cycles",
    says: /hop\.ts → server\/messages\/warm\.ts → server\/messages\/hop\.ts/,
    bad: [
      importing("server/messages/hop.ts", "./warm.ts"),
      importingType("server/messages/warm.ts", "./hop.ts"),
    ],
    good: [
      importing("server/messages/hop.ts", "./warm.ts"),
      importingType("server/messages/warm.ts", "./types.ts"),
      importingType("server/messages/hop.ts", "./types.ts"),
    ],
  },
  {
    rule: "room-length",
    says: /1201 lines/,
    bad: [long("server/keys/a.ts", 600), long("server/keys/b.ts", 601)],
    good: [
      long("server/keys/a.ts", 600),
      long("server/keys/b.ts", 600),
      long("server/keys/reach/c.ts", 600),
      long("server/keys/b.test.ts", 300),
    ],
  },
  {
    rule: "room-length",
    says: /1201 lines/,
    bad: [long("console/keys/a.tsx", 1_201)],
    good: [long("console/keys/a.tsx", 600), long("console/keys/secrets/b.tsx", 900)],
  },
  {
    rule: "small-files",
    says: /59 lines that server\/keys\/service\.ts alone imports/,
    bad: [importing("server/keys/service.ts", "./expiry.ts"), long("server/keys/expiry.ts", 59)],
    good: [
      importing("server/keys/service.ts", "./expiry.ts"),
      long("server/keys/expiry.ts", 60),
      importing("server/keys/jobs.ts", "./shared.ts"),
      importing("server/keys/service.ts", "./shared.ts"),
      long("server/keys/shared.ts", 20),
      importing("server/keys/service.ts", "./queries.ts"),
      long("server/keys/queries.ts", 20),
      importing("server/keys/module.ts", "./public.ts"),
      long("server/keys/public.ts", 20),
      file(
        "server/keys/jobs.ts",
        'import "./own.ts";',
        ...Array.from({ length: 290 }, () => "// x"),
      ),
      long("server/keys/own.ts", 20),
      importing("server/keys/policy.ts", "./mailer.ts"),
      importing("server/keys/mailer.ts", "nodemailer"),
    ],
  },
  {
    rule: "limits-place",
    says: /exports limits: .*limits\.ts[^]*exports leaseLimits/,
    bad: [
      file("server/keys/schema.ts", "export const limits = {", "  nameCharactersMax: 200,", "};"),
      file("kernel/work/lease.ts", "export const leaseLimits: LeaseTimes = { leaseMs: 10_000 };"),
    ],
    good: [
      file("server/keys/limits.ts", "export const limits = {", "  nameCharactersMax: 200,", "};"),
      file("server/keys/service.ts", "const keyLimits = { nameCharactersMax: 200 };"),
      file("server/keys/schema.ts", "export const RateLimits = Type.Object({ data: Rates });"),
      file("tests/rules/keys.test.ts", "export const limits = { tries: 3 };"),
    ],
  },
];
