import { runProgram } from "../../manager/program.ts";
import { type Invocation, readFlags } from "./flags.ts";

/** Runs the status controller until a signal ends it, and answers with the exit code. */
export const runStatusController = (args: readonly string[]): Promise<number> =>
  runProgram<Extract<Invocation, { kind: "run" }>>(
    {
      title: "the status controller",
      read: readFlags,
      verbosity: ({ flags }) => flags.verbosity,
      async start({ flags }, log) {
        const { startStatusController } = await import("./start.ts");
        const controller = await startStatusController(flags, log);
        return () => controller.stop();
      },
    },
    args,
  );
