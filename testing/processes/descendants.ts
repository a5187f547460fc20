import { readdirSync, readFileSync } from "node:fs";

/** Returns the command lines of the processes that a process has started, directly and indirectly. */
export const descendants = (pid: number): string[] => descendantIds(pid).map(commandLine);

/** Returns the ids of the processes that a process has started, directly and indirectly. */
export function descendantIds(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
  return children.flatMap((child) => [child, ...descendantIds(child)]);
}

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)$/m.exec(read(pid, "status"))?.[1]);

/** Returns the command line of a process; empty if it has ended. */
export const commandLine = (pid: number) => read(pid, "cmdline").replaceAll("\0", " ");

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
