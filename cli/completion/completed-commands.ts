import type { Command, Option } from "commander";

/** Completion of a value: one of a list, a file, or unknown. */
export type Value = readonly string[] | "file" | "unknown";

export interface Flag {
  /** `--format`, and `-f` if there is a short form. */
  readonly names: readonly string[];
  /** Undefined for a flag without a value. */
  readonly value: Value | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly flags: readonly Flag[];
  /** Completion of its arguments; undefined for a command without arguments. */
  readonly argument: Value | undefined;
}

/** Returns what is completed of the commands of a program, including the `help` that commander adds. */
export function commandsOf(program: Command): CompletedCommand[] {
  const commands = program.commands.map((command): CompletedCommand => {
    const [argument] = command.registeredArguments;
    return {
      name: command.name(),
      flags: flagsOf(command),
      argument: argument && (argument.argChoices ?? kindOf(argument.name())),
    };
  });
  const names = commands.map(({ name }) => name);
  return [...commands, { name: "help", flags: [], argument: names }];
}

const help: Flag = { names: ["-h", "--help"], value: undefined };

export const flagsOf = ({ options }: Command): Flag[] => [...options.map(flagOf), help];

function flagOf({ short, long, flags, argChoices, ...option }: Option): Flag {
  const names = [short, long].filter((name) => name !== undefined);
  const [, value = ""] = /[<[]([\w-]+)/.exec(flags) ?? [];
  const takesValue = option.required || option.optional;
  return { names, value: takesValue ? (argChoices ?? kindOf(value)) : undefined };
}

/** Returns the kind of a value by its name in the definition, such as `file` of `--config <file>`. */
const kindOf = (name: string): "file" | "unknown" =>
  /^(files?|folder|path|pack)$/.test(name) ? "file" : "unknown";
