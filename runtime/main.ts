import { setFlagsFromString } from "node:v8";
import { nodeProblem } from "../sdk/node-version.ts";
import { describe, stderrLog } from "./manager/log.ts";
import { programs } from "./programs/index.ts";

// A small buffer keeps its whole pool in memory, 64 KiB by default, for each of thousands of streams.
Buffer.poolSize = 8 * 1024;

// A server runs for weeks and is slowest until V8's best compiler has run. With 1,000 calls of a function instead of
// 3,000, the first 10,000 requests take a fifth less CPU time, and later ones the same as before.
setFlagsFromString("--invocation-count-for-turbofan=1000");

/** The first argument is the program. If it is a flag, the endpoint picker runs. */
async function main(args: readonly string[]): Promise<number> {
  // Older versions of Node.js would fail later, without a message about the version.
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    return 2;
  }
  const [first] = args;
  const [name, rest] = first?.startsWith("-") ? ["endpoint-picker", args] : [first, args.slice(1)];
  const program = name === undefined ? undefined : programs[name];
  if (program !== undefined) return program(rest);
  const given = name === undefined ? "no program was given" : `${name}: unknown program`;
  process.stderr.write(
    `${given}; expected one of ${Object.keys(programs).join(", ")}, and --help after it\n`,
  );
  return 2;
}

process.on("uncaughtException", (error: unknown) => {
  const frames = error instanceof Error ? error.stack?.split("\n    at ").slice(1) : undefined;
  stderrLog(0).error("unexpected failure", describe(error), { frames });
  process.exit(1);
});

void main(process.argv.slice(2)).then((code) => process.exit(code));
