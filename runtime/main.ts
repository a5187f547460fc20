import { setFlagsFromString } from "node:v8";
import { nodeProblem } from "../sdk/node-version.ts";
import { describe, stderrLog } from "./manager/log.ts";
import { programs } from "./programs/index.ts";

// One small buffer that stays keeps the whole pool that it is a part of: 64 KiB by default, for each of thousands of streams.
Buffer.poolSize = 8 * 1024;

// A server runs for weeks, and is slowest before V8's best compiler has had its turn: after 1,000 calls of a function
// rather than 3,000, the first ten thousand requests take a fifth less CPU, and later ones as much as before.
setFlagsFromString("--invocation-count-for-turbofan=1000");

/** The first argument names the program; without it, when flags come first, the endpoint picker runs. */
async function main(args: readonly string[]): Promise<number> {
  // Older ones fail later, on what they do not have, and do not say so.
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
