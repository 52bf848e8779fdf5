// What can be completed, read from the commands themselves: their names, flags, and the words that flags take.
import type { Argument, Command, Option } from "commander";

export interface CompletedCommand {
  /** The words that lead to it: `plinth keys list`. */
  path: string;
  commands: readonly Described[];
  options: readonly CompletedOption[];
  /** What its arguments may be, where that is known. */
  words: readonly string[];
  takesFiles: boolean;
}

export interface Described {
  name: string;
  description: string;
}

export interface CompletedOption extends Described {
  /** `--status`, and `-s` where there is one. */
  names: readonly string[];
  takesValue: boolean;
  words: readonly string[];
  takesFiles: boolean;
}

/** The command and all of those within it. */
export function commandsOf(command: Command, above = ""): CompletedCommand[] {
  const path = `${above} ${command.name()}`.trim();
  const help = command.createHelp();
  const inner = help.visibleCommands(command);
  const whole: CompletedCommand = {
    path,
    commands: inner.flatMap((each) =>
      [each.name(), ...each.aliases()].map((name) => ({ name, description: each.description() })),
    ),
    options: help.visibleOptions(command).map(optionOf),
    words: [...new Set(command.registeredArguments.flatMap(wordsOf))],
    takesFiles: command.registeredArguments.some((each) => isFile(each.name())),
  };
  // The command help is made by the help of each: it takes the names of the others.
  const own = inner.filter((each) => command.commands.includes(each));
  return [whole, ...own.flatMap((each) => commandsOf(each, path))];
}

function optionOf(option: Option): CompletedOption {
  const names = [option.long, option.short].filter((name) => name != null);
  const takesValue = option.required || option.optional;
  return {
    names,
    name: names[0] ?? "",
    description: option.description,
    takesValue,
    words: wordsOf(option),
    takesFiles: takesValue && isFile(option.flags.replace(/^[^<[]*/, "")),
  };
}

/** Those of `choices`, and of a parser that carries its words. */
function wordsOf({ argChoices, parseArg }: Option | Argument): string[] {
  if (argChoices !== undefined) return [...argChoices];
  const { words } = (parseArg ?? {}) as { words?: readonly string[] };
  return words === undefined ? [] : [...words];
}

/** By the name that the help has for the value. */
const isFile = (name: string): boolean => /(file|path|folder|directory|dir)\b/i.test(name);
