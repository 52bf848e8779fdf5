// Which Node.js npm has to run on: it leaves out optional packages that do not fit it, builders among them.

/** Whether a version fits a range such as `^20.19.0 || >=22.12.0`: the forms that packages write in `engines`. */
export function fitsNode(version: string, range: string): boolean {
  const [major, minor, patch] = numbers(version);
  return range.split("||").some((part) => {
    const [, sign = "", wanted = ""] = /^\s*(\^|>=)?\s*([\d.]+)\s*$/.exec(part) ?? [];
    if (wanted === "") throw new Error(`The range ${JSON.stringify(range)} is none that is known.`);
    const [wantedMajor, wantedMinor, wantedPatch] = numbers(wanted);
    if (major !== wantedMajor) return sign === ">=" && major > wantedMajor;
    return minor === wantedMinor ? patch >= wantedPatch : minor > wantedMinor;
  });
}

const numbers = (version: string) => {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [major, minor, patch] as const;
};

/** What to tell where npm runs on a Node.js outside the range; `agent` is how npm names itself and its Node.js. */
export function nodeTooOld(agent: string | undefined, range: string): string | undefined {
  const version = /\bnode\/v([\d.]+)/.exec(agent ?? "")?.[1];
  if (version === undefined || fitsNode(version, range)) return undefined;
  return (
    `npm runs on Node.js ${version} here and has left out what builds the console: ` +
    `install Node.js ${range.replace("^", "").replace(" || >=", " or a later 20, or ")} or newer, then run npm ci again.`
  );
}
