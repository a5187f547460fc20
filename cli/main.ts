#!/usr/bin/env node
import { nodeProblem } from "../sdk/node-version.ts";

// No other import may precede this: older versions of Node.js fail on APIs that the modules use.
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

const { runCommandLine } = await import("./program.ts");
const { processTerminal } = await import("./terminal.ts");

// A reader such as `head` may close the pipe early, which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
