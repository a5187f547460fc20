import { type Log, stderrLog } from "../../process/log.ts";
import { terminationSignal } from "../../process/termination.ts";
import { type Invocation, readOptions } from "../flags/options.ts";
import type { RunningPicker } from "./start.ts";

const exitCode = { ok: 0, failure: 1, misuse: 2 } as const;

/** Runs an endpoint picker until a signal ends it, and answers with the exit code. */
export async function runEndpointPicker(args: readonly string[]): Promise<number> {
  const invocation = readOptions(args, process.env);
  if (invocation.kind === "help") {
    process.stdout.write(invocation.text);
    return exitCode.ok;
  }
  if (invocation.kind === "wrong") {
    for (const problem of invocation.problems) process.stderr.write(`${problem}\n`);
    return exitCode.misuse;
  }
  const { options, warnings } = invocation;
  const log = stderrLog(options.verbosity);
  for (const warning of warnings) log.warn(warning);
  const signal = terminationSignal(process, (code) => process.exit(code));
  try {
    const picker = await start(invocation, log);
    await picker.drain(await signal);
    return exitCode.ok;
  } catch (error) {
    log.error("the endpoint picker failed", error);
    return exitCode.failure;
  }
}

/** Each picker is loaded when it is clear that it runs: help and wrong flags answer at once. */
async function start(
  invocation: Extract<Invocation, { kind: "run" | "import" }>,
  log: Log,
): Promise<RunningPicker> {
  if (invocation.kind === "import") {
    const { startImportPicker } = await import("../imports/start.ts");
    return startImportPicker(invocation.options, log);
  }
  const [{ startEndpointPicker }, { parts }] = await Promise.all([
    import("./start.ts"),
    import("./parts.ts"),
  ]);
  return startEndpointPicker(invocation.options, parts, log);
}
