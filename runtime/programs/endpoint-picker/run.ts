import type { Log } from "../../manager/log.ts";
import { runProgram } from "../../manager/program.ts";
import { type Invocation, readOptions } from "./options.ts";
import type { RunningPicker } from "./start.ts";

type Run = Extract<Invocation, { kind: "run" | "import" }>;

/** Runs an endpoint picker until a signal ends it, and answers with the exit code. */
export const runEndpointPicker = (args: readonly string[]): Promise<number> =>
  runProgram<Run>(
    {
      title: "the endpoint picker",
      read: readOptions,
      verbosity: ({ options }) => options.verbosity,
      async start(run, log) {
        for (const warning of run.warnings) log.warn(warning);
        const picker = await start(run, log);
        return (signal) => picker.drain(signal);
      },
    },
    args,
  );

async function start(run: Run, log: Log): Promise<RunningPicker> {
  if (run.kind === "import") {
    const { startImportPicker } = await import("../import-picker/start.ts");
    return startImportPicker(run.options, log);
  }
  const [{ startEndpointPicker }, { parts }] = await Promise.all([
    import("./start.ts"),
    import("./parts.ts"),
  ]);
  return startEndpointPicker(run.options, parts, log);
}
