import { stderrLog } from "../process/log.ts";
import { terminationSignal } from "../process/termination.ts";
import { readFlags } from "./flags.ts";

const exitCode = { ok: 0, failure: 1, misuse: 2 } as const;

/** Runs the webhook for pod plugins until a signal ends it, and answers with the exit code. */
export async function runPodPluginWebhook(args: readonly string[]): Promise<number> {
  const invocation = readFlags(args, process.env);
  if (invocation.kind === "help") {
    process.stdout.write(invocation.text);
    return exitCode.ok;
  }
  if (invocation.kind === "wrong") {
    for (const problem of invocation.problems) process.stderr.write(`${problem}\n`);
    return exitCode.misuse;
  }
  const log = stderrLog(invocation.flags.verbosity);
  const signal = terminationSignal(process, (code) => process.exit(code));
  try {
    // Loaded when it is clear that it runs: help and wrong flags answer at once.
    const { startPodPluginWebhook } = await import("./start.ts");
    const webhook = await startPodPluginWebhook(invocation.flags, log);
    await signal;
    await webhook.stop();
    return exitCode.ok;
  } catch (error) {
    log.error("the webhook failed", error);
    return exitCode.failure;
  }
}
