const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Words that are part of a POSIX shell's grammar at the start of a command. */
const reserved = new Set(
  "case do done elif else esac fi for if in then until while function select time coproc".split(
    " ",
  ),
);

/** Returns an argument as a POSIX shell word: in single quotes if the shell would change it. */
export function shellWord(argument: string): string {
  return plain.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Returns an argument vector as a shell command that starts the same process. */
export function shellCommand([program = "", ...args]: readonly string[]): string {
  const isGrammar = reserved.has(program) || /^[A-Za-z_]\w*\+?=/.test(program);
  return [isGrammar ? `'${program}'` : shellWord(program), ...args.map(shellWord)].join(" ");
}
