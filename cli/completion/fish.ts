import type { CompletedCommand, Flag, Value } from "./scripts.ts";

/** Returns a script that defines the completion of a program for fish 3 and later. */
export function fishScript(
  program: string,
  commands: readonly CompletedCommand[],
  flags: readonly Flag[],
): string {
  const complete = `complete -c ${program}`;
  const isFirst = "-n __fish_use_subcommand";
  return [
    `# fish completion of ${program}`,
    `${complete} -f`,
    ...flags.map((flag) => `${complete} ${isFirst} ${flagWords(flag)}`),
    ...commands.map(
      ({ name, summary }) => `${complete} ${isFirst} -a ${name} -d ${quoted(summary)}`,
    ),
    ...commands.flatMap(({ name, flags: own, argument }) => {
      const isIn = `-n '__fish_seen_subcommand_from ${name}'`;
      return [
        ...own.map((flag) => `${complete} ${isIn} ${flagWords(flag)}`),
        ...(argument === undefined || argument === "unknown"
          ? []
          : [`${complete} ${isIn} ${argument === "file" ? "-F" : candidates(argument)}`]),
      ];
    }),
    "",
  ].join("\n");
}

function flagWords({ names, description, value }: Flag): string {
  const spelled = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return [...spelled, ...valueWords(value), "-d", quoted(description)].join(" ");
}

function valueWords(value: Value | undefined): string[] {
  if (value === undefined) return [];
  if (value === "file") return ["-r -F"];
  return value === "unknown" ? ["-x"] : ["-x", candidates(value)];
}

const candidates = (values: readonly string[]): string => `-a ${quoted(values.join(" "))}`;

const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
