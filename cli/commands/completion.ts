import { Argument, Command } from "commander";
import type { Action } from "../action.ts";

/** @param program the command line to complete, with all its commands */
export const completionCommand = (action: Action, program: () => Command) =>
  new Command("completion")
    .summary("print the completion script of bash")
    .description(
      "Prints a script that completes commands, flags, values and files in bash. The script does not start this program, so completion is fast. Print it again after an upgrade.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(["bash"]))
    .addHelpText("after", examples)
    .action(() =>
      action(async ({ out }) => {
        const { bashScript } = await import("../completion/bash.ts");
        out.write(bashScript(program()));
        return 0;
      }),
    );

const examples = `
Completion needs a command named pulumi-inference. If the package is installed
in the project only, define it in ~/.bashrc:
  pulumi-inference() { npx pulumi-inference "$@"; }

Examples:
  npx pulumi-inference completion bash > ~/.pulumi-inference.bash
  echo 'source ~/.pulumi-inference.bash' >> ~/.bashrc`;
