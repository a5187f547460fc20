import type { Terminal } from "./terminal.ts";

/** Runs a command, which returns its exit code. */
export type Action = (run: (terminal: Terminal) => Promise<number>) => Promise<void>;
