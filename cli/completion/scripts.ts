import type { Command, Option } from "commander";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import type { Shell } from "./shells.ts";
import { zshScript } from "./zsh.ts";

/** Returns the completion script of a program, by shell. */
export const completionScripts: Readonly<Record<Shell, (program: Command) => string>> = {
  bash: (program) => bashScript(program.name(), commandsOf(program), flagsOf(program)),
  zsh: (program) => zshScript(program.name(), commandsOf(program), flagsOf(program)),
  fish: (program) => fishScript(program.name(), commandsOf(program), flagsOf(program)),
};

/** Completion of a value: one of a list, a file, or unknown. */
export type Value = readonly string[] | "file" | "unknown";

export interface Flag {
  /** `--format`, and `-f` if there is a short form. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined for a flag without a value. */
  readonly value: Value | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Completion of its arguments; undefined for a command without arguments. */
  readonly argument: Value | undefined;
}

/** Returns the commands of a program, including the `help` that commander adds. */
function commandsOf(program: Command): CompletedCommand[] {
  const commands = program.commands.map((command): CompletedCommand => {
    const [argument] = command.registeredArguments;
    return {
      name: command.name(),
      summary: command.summary() || command.description(),
      flags: flagsOf(command),
      argument: argument && (argument.argChoices ?? kindOf(argument.name())),
    };
  });
  const names = commands.map(({ name }) => name);
  const summary = "print the help of a command";
  return [...commands, { name: "help", summary, flags: [], argument: names }];
}

const help: Flag = { names: ["-h", "--help"], description: "print help", value: undefined };

const flagsOf = ({ options }: Command): Flag[] => [...options.map(flagOf), help];

function flagOf({ short, long, flags, description, argChoices, ...option }: Option): Flag {
  const names = [short, long].filter((name) => name !== undefined);
  const [, value = ""] = /[<[]([\w-]+)/.exec(flags) ?? [];
  const takesValue = option.required || option.optional;
  return { names, description, value: takesValue ? (argChoices ?? kindOf(value)) : undefined };
}

/** Returns the kind of a value by its name in the definition, such as `file` of `--config <file>`. */
const kindOf = (name: string): "file" | "unknown" =>
  /^(files?|folder|path|pack)$/.test(name) ? "file" : "unknown";
