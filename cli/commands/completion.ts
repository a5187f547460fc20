import { Argument, Command } from "commander";
import type { Action } from "../action.ts";
import { type Shell, shells } from "../completion/shells.ts";

/** @param program the command line to complete, with all its commands */
export const completionCommand = (action: Action, program: () => Command) =>
  new Command("completion")
    .summary("print the completion script of a shell")
    .description(
      "Prints a script that completes commands, flags, values and files in a shell. The script does not start this program, so completion is fast. Print it again after an upgrade.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", examples)
    .action((shell: Shell) =>
      action(async ({ out }) => {
        const { completionScripts } = await import("../completion/scripts.ts");
        out.write(completionScripts[shell](program()));
        return 0;
      }),
    );

const examples = `
Completion needs a command named pulumi-inference. If the package is installed
in the project only, define it in ~/.bashrc or ~/.zshrc:
  pulumi-inference() { npx pulumi-inference "$@"; }

Examples:
  npx pulumi-inference completion bash > ~/.pulumi-inference.bash
  echo 'source ~/.pulumi-inference.bash' >> ~/.bashrc
  npx pulumi-inference completion zsh > "\${fpath[1]}/_pulumi-inference"
  npx pulumi-inference completion fish | source`;
