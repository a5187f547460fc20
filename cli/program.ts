import { Command, CommanderError } from "commander";
import { version } from "../sdk/version.ts";
import type { Action } from "./action.ts";
import { bundleCommand } from "./commands/bundle.ts";
import { capacityCommand } from "./commands/capacity.ts";
import { checkCommand } from "./commands/check.ts";
import { clustersCommand } from "./commands/clusters.ts";
import { completionCommand } from "./commands/completion.ts";
import { crdsCommand } from "./commands/crds.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { explainCommand } from "./commands/explain.ts";
import { fitCommand } from "./commands/fit.ts";
import { graphCommand } from "./commands/graph.ts";
import { impactCommand } from "./commands/impact.ts";
import { initCommand } from "./commands/init.ts";
import { pushCommand } from "./commands/push.ts";
import { renderCommand } from "./commands/render.ts";
import { requestCommand } from "./commands/request.ts";
import { statusCommand } from "./commands/status.ts";
import { exitCode, UsageError, ValidationError } from "./exit-code.ts";
import { guardedTerminal } from "./output/controls.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs the command line and returns the exit code. Modules of a command are loaded when it runs, so that `--help` and
 * errors are fast.
 *
 * @param args arguments without node and script
 */
export async function runCommandLine(args: readonly string[], shown: Terminal): Promise<number> {
  const terminal = guardedTerminal(shown);
  let code: number = exitCode.ok;
  const program = programOf(terminal, async (run) => {
    code = await run(terminal);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return codeOf(error, terminal);
  }
}

/** Returns the commands and their options. The selected command is passed to `action`. */
export function programOf(terminal: Terminal, action: Action): Command {
  const program = new Command("pulumi-inference")
    .description("Plans, checks and inspects InferenceServices on Kubernetes.")
    .version(version)
    .helpCommand("help [command]", "print the help of a command")
    .showHelpAfterError("(add --help for the options and examples)");
  for (const command of [
    fitCommand(action),
    initCommand(action),
    renderCommand(action),
    checkCommand(action),
    capacityCommand(action),
    graphCommand(action),
    impactCommand(action),
    bundleCommand(action),
    pushCommand(action),
    crdsCommand(action),
    doctorCommand(action),
    explainCommand(action),
    requestCommand(action),
    statusCommand(action),
    clustersCommand(action),
    completionCommand(action, () => program),
  ]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
    });
  }
  return program;
}

function codeOf(error: unknown, terminal: Terminal): number {
  // Commander has already printed the error or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.misuse;
  if (error instanceof UsageError || error instanceof ValidationError) {
    terminal.err.write(`${error.message}\n`);
    return error instanceof UsageError ? exitCode.misuse : exitCode.problems;
  }
  throw error;
}
