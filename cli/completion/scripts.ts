// The scripts: each shell walks the words to the command that is meant, then offers what that one has.
import type { CompletedCommand, CompletedOption, Described } from "./commands.ts";

type Commands = readonly CompletedCommand[];

/** In single quotes, as every one of the shells reads them. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** Fish has its own way with a quote inside. */
const fishQuoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const header = (shell: string) =>
  `# Completion of plinth for ${shell}, made by: plinth completion ${shell}\n`;

const withInner = (commands: Commands) => commands.filter((each) => each.commands.length > 0);
const valueNames = ({ options }: CompletedCommand): string[] =>
  options.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names);
const eachValue = (commands: Commands) =>
  commands.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => ({ path, option })),
  );

/** Patterns of a `case`: the words, or nothing where there are none. */
const patterns = (paths: readonly string[]): string => paths.map(quoted).join("|");

const words = (each: CompletedCommand): string => each.commands.map(({ name }) => name).join(" ");

/** The walk is the same text in bash and zsh. */
const walk = (commands: Commands): string => `\
    case "$at $word" in
      ${patterns(withInner(commands).flatMap((each) => each.commands.map(({ name }) => `${each.path} ${name}`)))}) at="$at $word" ;;
      ${patterns(commands.flatMap((each) => valueNames(each).map((name) => `${each.path} ${name}`)))}) skip=1 ;;
    esac`;

function bash(commands: Commands): string {
  const values = eachValue(commands).map(({ path, option }) => {
    const act = option.takesFiles ? "files=1" : `words=${quoted(option.words.join(" "))}`;
    return `    ${patterns(option.names.map((name) => `${path} ${name}`))}) value=1; ${act} ;;`;
  });
  const facts = commands.map((each) => {
    const names = each.options.flatMap((option) => option.names).join(" ");
    const own = [words(each), ...each.words].filter((text) => text !== "").join(" ");
    const files = each.takesFiles ? " files=1;" : "";
    return `    ${quoted(each.path)}) words=${quoted(own)}; flags=${quoted(names)};${files} ;;`;
  });
  return `${header("bash")}
_plinth() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at=plinth word i
  local skip= value= files= words= flags=
  # "--flag=word" comes in three parts.
  if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $skip ]]; then skip=; continue; fi
${walk(commands)}
  done
  case "$at $prev" in
${values.join("\n")}
  esac
  if [[ -z $value ]]; then
    case "$at" in
${facts.join("\n")}
    esac
    if [[ $cur == -* ]]; then words=$flags files=; fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files ]]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}
complete -F _plinth plinth
`;
}

const zshItem = ({ name, description }: Described): string =>
  quoted(`${name.replaceAll(":", "\\:")}:${description}`);

function zsh(commands: Commands): string {
  const values = eachValue(commands).map(({ path, option }) => {
    const act = option.takesFiles ? "_files" : `compadd -- ${option.words.map(quoted).join(" ")}`;
    const isOpen = !option.takesFiles && option.words.length === 0;
    const said = isOpen ? `_message ${quoted(option.description)}` : act;
    return `    ${patterns(option.names.map((name) => `${path} ${name}`))}) ${said}; return ;;`;
  });
  const facts = commands.map((each) => {
    const options = each.options.flatMap((option) =>
      option.names.map((name) => zshItem({ name, description: option.description })),
    );
    const more = each.words.length > 0 ? ` others=(${each.words.map(quoted).join(" ")});` : "";
    const files = each.takesFiles ? " files=1;" : "";
    return `    ${quoted(each.path)}) items=(${each.commands.map(zshItem).join(" ")}); flags=(${options.join(" ")});${more}${files} ;;`;
  });
  return `#compdef plinth
${header("zsh")}
_plinth() {
  local at=plinth word skip= files= i
  local -a items flags others
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $skip ]]; then skip=; continue; fi
${walk(commands)}
  done
  case "$at \${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$at" in
${facts.join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o option flags; return; fi
  if (( \${#items} )); then _describe command items; fi
  if (( \${#others} )); then compadd -- "\${others[@]}"; fi
  if [[ -n $files ]]; then _files; fi
}
# As a file of fpath it is called; where it is sourced, it is made known.
if [[ \${funcstack[1]} == _plinth ]]; then _plinth "$@"; else compdef _plinth plinth; fi
`;
}

function fish(commands: Commands): string {
  const paths = withInner(commands).flatMap((each) =>
    each.commands.map(({ name }) => `${each.path} ${name}`),
  );
  const takers = commands.flatMap((each) => valueNames(each).map((name) => `${each.path} ${name}`));
  const lines = commands.flatMap((each) => {
    const start = `complete -c plinth -n ${fishQuoted(`__plinth_at ${fishQuoted(each.path)}`)}`;
    return [
      ...each.commands.map(
        ({ name, description }) => `${start} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`,
      ),
      ...(each.words.length > 0 ? [`${start} -a ${fishQuoted(each.words.join(" "))}`] : []),
      ...(each.takesFiles ? [`${start} -F`] : []),
      ...each.options.map((option) => `${start}${fishOption(option)}`),
    ];
  });
  return `${header("fish")}
function __plinth_at
  set -l at plinth
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch "$at $word"
      case ${paths.map(fishQuoted).join(" ")}
        set at "$at $word"
      case ${takers.map(fishQuoted).join(" ")}
        set skip 1
    end
  end
  test "$at" = "$argv[1]"
end

complete -c plinth -f
${lines.join("\n")}
`;
}

function fishOption({
  names,
  description,
  takesValue,
  words,
  takesFiles,
}: CompletedOption): string {
  const spelled = names.map((name) =>
    name.startsWith("--") ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`,
  );
  const value = takesFiles ? " -r -F" : takesValue ? " -x" : "";
  const known = words.length > 0 ? ` -a ${fishQuoted(words.join(" "))}` : "";
  return `${spelled.join("")}${value}${known} -d ${fishQuoted(description)}`;
}

export const scripts = { bash, zsh, fish };
