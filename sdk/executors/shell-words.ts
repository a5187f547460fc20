const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Words that a POSIX shell reads as grammar where a command starts. */
const reserved = new Set(
  "case do done elif else esac fi for if in then until while function select time coproc".split(
    " ",
  ),
);

/** One argument as a POSIX shell word: as it is where the shell would not change it, else in single quotes. */
export function shellWord(argument: string): string {
  return plain.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** An argument vector as a shell command that starts the same process with the same arguments. */
export function shellCommand([program = "", ...args]: readonly string[]): string {
  const isGrammar = reserved.has(program) || /^[A-Za-z_]\w*\+?=/.test(program);
  return [isGrammar ? `'${program}'` : shellWord(program), ...args.map(shellWord)].join(" ");
}
