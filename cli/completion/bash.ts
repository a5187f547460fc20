import type { Command } from "commander";
import {
  type CompletedCommand,
  commandsOf,
  type Flag,
  flagsOf,
  type Value,
} from "./completed-commands.ts";

/** Returns a script that defines the completion of a program for bash 3.2 and later. */
export function bashScript(completed: Command): string {
  const program = completed.name();
  const commands = commandsOf(completed);
  const flags = flagsOf(completed);
  const name = `_${program.replaceAll("-", "_")}`;
  const names = commands.map((command) => command.name).join(" ");
  return `# bash completion of ${program}
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= flags= word i
  # bash splits --flag=value into three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${commands.map((command) => command.name).join("|")}) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command:$prev in
${commands.flatMap(valueCases).join("\n")}
  esac
  case $command in
    "") flags="${words(flags)}" ;;
${commands.map((command) => `    ${command.name}) flags="${words(command.flags)}" ;;`).join("\n")}
  esac
  if [[ $cur == -* ]]; then
    ${name}_words "$flags"
    return
  fi
  case $command in
    "") ${name}_words "${names}" ;;
${commands.flatMap(argumentCase).join("\n")}
  esac
}

${name}_words() {
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

${name}_files() {
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
}

complete -F ${name} ${program}
`;

  function valueCases({ name: command, flags: own }: CompletedCommand): string[] {
    return own.flatMap((flag) =>
      flag.value === undefined
        ? []
        : `    ${flag.names.map((each) => `${command}:${each}`).join("|")}) ${offer(flag.value)}return ;;`,
    );
  }

  function argumentCase({ name: command, argument }: CompletedCommand): string[] {
    return argument === undefined || argument === "unknown"
      ? []
      : [`    ${command}) ${offer(argument)};;`];
  }

  function offer(value: Value): string {
    if (value === "unknown") return "";
    return value === "file" ? `${name}_files; ` : `${name}_words "${value.join(" ")}"; `;
  }
}

const words = (flags: readonly Flag[]): string => flags.flatMap(({ names }) => names).join(" ");
