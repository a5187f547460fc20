import type { Terminal } from "./terminal.ts";

/** Runs what a command does; it answers with the exit code. */
export type Action = (run: (terminal: Terminal) => Promise<number>) => Promise<void>;
