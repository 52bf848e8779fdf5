// `read` of the shell takes each byte of its input for a character; here it takes UTF-8.
import { defineCommand, type ResolvedCommandContext } from "just-bash";

/** Stands before all that a shell runs, on the line of what comes first. A function `read` would not be asked. */
export const readFunction =
  'plinth_read() { builtin read "$@"; plinth-read-done $? "$@"; }; shopt -s expand_aliases; alias read=plinth_read; ';

/** Decodes what the variables hold that were named, and hands on the status. */
export const readDone = defineCommand(
  "plinth-read-done",
  async ([status = "0", ...words], context) => {
    const names = words.filter((word) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(word));
    for (const name of names.length === 0 ? ["REPLY"] : names) {
      const text = decoded(context.env.get(name) ?? "");
      if (text !== undefined) await context.assignShellVariable?.(name, text);
    }
    return { stdout: "", stderr: "", exitCode: Number(status) };
  },
);

/** Undefined where it is as it should be. */
function decoded(value: string): string | undefined {
  const bytes = Buffer.from(value, "latin1");
  if (bytes.toString("latin1") !== value) return undefined;
  const text = bytes.toString("utf8");
  if (text === value) return undefined;
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** There are no files of a start. */
const left: ReadonlySet<string> = new Set(["--noprofile", "--norc"]);

/** Shells that are begun for a text of their own. */
export const shells = ["bash", "sh"].map((name) =>
  defineCommand(name, async (args, context: ResolvedCommandContext) => {
    const words = args.filter((word) => !left.has(word));
    const at = words.indexOf("-c") + 1;
    if (at > 0 && at < words.length) words[at] = readFunction + words[at];
    return (
      (await context.origCommand?.(words)) ?? {
        stdout: "",
        stderr: "it is not there\n",
        exitCode: 1,
      }
    );
  }),
);
