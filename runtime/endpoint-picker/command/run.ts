import { stderrLog } from "../../process/log.ts";
import { terminationSignal } from "../../process/termination.ts";
import { readOptions } from "../flags/options.ts";

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
    // Loaded when it is clear that they run: help and wrong flags answer at once.
    const [{ startEndpointPicker }, { parts }] = await Promise.all([
      import("./start.ts"),
      import("./parts.ts"),
    ]);
    const picker = await startEndpointPicker(options, parts, log);
    await picker.drain(await signal);
    return exitCode.ok;
  } catch (error) {
    log.error("the endpoint picker failed", error);
    return exitCode.failure;
  }
}
