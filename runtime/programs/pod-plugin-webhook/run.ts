import { runProgram } from "../../manager/program.ts";
import { type Invocation, readFlags } from "./flags.ts";

/** Runs the webhook for pod plugins until a signal ends it, and answers with the exit code. */
export const runPodPluginWebhook = (args: readonly string[]): Promise<number> =>
  runProgram<Extract<Invocation, { kind: "run" }>>(
    {
      title: "the webhook",
      read: readFlags,
      verbosity: ({ flags }) => flags.verbosity,
      async start({ flags }, log) {
        const { startPodPluginWebhook } = await import("./start.ts");
        const webhook = await startPodPluginWebhook(flags, log);
        return () => webhook.stop();
      },
    },
    args,
  );
