// Every rule about the code, in one list.
import { arrows, nounCycles } from "./arrows.ts";
import { banned, cryptoByName, sleepingTests, waitsForAWhile } from "./bans.ts";
import { manifest, packageImports } from "./packages.ts";
import { fileCycles, limitsPlace, roomLength, smallFiles } from "./rooms.ts";
import { ruleIds } from "./rules.ts";
import {
  columns,
  developerPaths,
  fileLength,
  firstSentence,
  functionLength,
  lockFile,
  notesToSelf,
} from "./shape.ts";
import type { Rule } from "./source.ts";
import { migrations, sqlPlace, sqlStyle } from "./sql.ts";

export const rules: Readonly<Record<string, Rule>> = {
  arrows,
  "noun-cycles": nounCycles,
  "file-cycles": fileCycles,
  "room-length": roomLength,
  "small-files": smallFiles,
  "limits-place": limitsPlace,
  packages: manifest,
  "package-imports": packageImports,
  banned,
  "crypto-by-name": cryptoByName,
  "sleeping-tests": sleepingTests,
  "waits-for-a-while": waitsForAWhile,
  "first-sentence": firstSentence,
  "file-length": fileLength,
  columns,
  "notes-to-self": notesToSelf,
  "developer-paths": developerPaths,
  "lock-file": lockFile,
  "function-length": functionLength,
  "sql-style": sqlStyle,
  "sql-place": sqlPlace,
  migrations,
  "rule-ids": ruleIds,
};
