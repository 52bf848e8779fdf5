// Asks before an act that cannot be undone.
import { CliError, exitCodes, type Terminal } from "./terminal.ts";

export async function confirm(
  terminal: Terminal,
  question: string,
  declined: string,
): Promise<void> {
  const answer = (await answerTo(terminal, `${question} [y/N] `)).toLowerCase();
  if (answer !== "y" && answer !== "yes") throw new CliError(declined);
}

/** For graver acts: the person types the object's name. */
export async function confirmByName(
  terminal: Terminal,
  name: string,
  declined: string,
): Promise<void> {
  if ((await answerTo(terminal, "Write its name to go on: ")) !== name)
    throw new CliError(declined);
}

async function answerTo({ isPerson, note, readLine }: Terminal, question: string): Promise<string> {
  if (!isPerson.input || !isPerson.notes)
    throw new CliError("Nobody is there to be asked. Say it with --yes.", exitCodes.usage);
  note(question);
  return (await readLine()).trim();
}
