import type { CompletedCommand, Flag, Value } from "./scripts.ts";

/** Returns a script that defines the completion of a program for zsh; a file `_PROGRAM` of `fpath`, or sourced. */
export function zshScript(
  program: string,
  commands: readonly CompletedCommand[],
  flags: readonly Flag[],
): string {
  return `#compdef ${program}
# zsh completion of ${program}
_${program}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C \\
${flags.flatMap(flagSpecs).map(continued).join("\n")}
    '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
${commands.map(({ name, summary }) => `        ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`).join("\n")}
      )
      _describe command commands
      ;;
    argument)
      case $words[1] in
${commands.map(commandCase).join("\n")}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

function commandCase({ name, flags, argument }: CompletedCommand): string {
  const specs = [
    ...flags.flatMap(flagSpecs),
    ...(argument === undefined ? [] : [quoted(`*:argument:${action(argument)}`)]),
  ];
  return `        ${name})
          _arguments \\
${specs.map((spec, at) => `            ${spec}${at + 1 < specs.length ? " \\" : ""}`).join("\n")}
          ;;`;
}

const continued = (spec: string): string => `    ${spec} \\`;

/** `'*--format[output format]:value:(text json)'`, for each name of a flag. */
const flagSpecs = ({ names, description, value }: Flag): string[] =>
  names.map((name) =>
    quoted(
      `*${name}[${description.replaceAll(/[[\]:\\]/g, "\\$&")}]${value === undefined ? "" : `:value:${action(value)}`}`,
    ),
  );

function action(value: Value): string {
  if (value === "file") return "_files";
  return value === "unknown" ? " " : `(${value.join(" ")})`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
