import { runProgram } from "../../manager/program.ts";
import { type Invocation, readFlags } from "./flags.ts";

/** Runs the controller of a cluster set until a signal ends it, and answers with the exit code. */
export const runMultiClusterController = (args: readonly string[]): Promise<number> =>
  runProgram<Extract<Invocation, { kind: "run" }>>(
    {
      title: "the controller of the cluster set",
      read: readFlags,
      verbosity: ({ flags }) => flags.verbosity,
      async start({ flags }, log) {
        const { startMultiClusterController } = await import("./start.ts");
        const controller = await startMultiClusterController(flags, log);
        return () => controller.stop();
      },
    },
    args,
  );
