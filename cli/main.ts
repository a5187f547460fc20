#!/usr/bin/env node
import { nodeProblem } from "../sdk/node-version.ts";

// Nothing else is imported before this: older versions fail on what the modules call.
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

const { runCommandLine } = await import("./program.ts");
const { processTerminal } = await import("./terminal.ts");

// A reader that has seen enough, such as `head`, closes the pipe, which does not count as an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
