// `plinth completion`: a script for a shell that completes commands, flags and their words.
import { Argument, type Command } from "commander";
import type { Terminal } from "./terminal.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function addCompletion(plinth: Command, terminal: Terminal): void {
  plinth
    .command("completion")
    .description("print a script that completes commands and flags in your shell")
    .addArgument(new Argument("<shell>", "whose script").choices(shells))
    .addHelpText("after", help)
    .action(async (shell: (typeof shells)[number]) => {
      const { commandsOf } = await import("./completion/commands.ts");
      const { scripts } = await import("./completion/scripts.ts");
      terminal.write(scripts[shell](commandsOf(plinth)));
    });
}

const help = `
To have it in each new shell:
  bash  echo 'source <(plinth completion bash)' >>~/.bashrc
  zsh   plinth completion zsh >"\${fpath[1]}/_plinth"
  fish  plinth completion fish >~/.config/fish/completions/plinth.fish

Exit codes: 0 done, 2 usage.`;
