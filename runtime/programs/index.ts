import { runProgram } from "../manager/program.ts";

/** The programs of the image. Each is loaded when it runs. */
export const programs: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  "endpoint-picker": async (args) =>
    runProgram((await import("./endpoint-picker/program.ts")).program, args),
  "model-router": async (args) =>
    runProgram((await import("./model-router/program.ts")).program, args),
  "pd-sidecar": async (args) => runProgram((await import("./pd-sidecar/program.ts")).program, args),
  "import-agent": async (args) =>
    runProgram((await import("../multi-cluster/import-agent/program.ts")).program, args),
  "parents-agent": async (args) =>
    runProgram((await import("../multi-cluster/parents-agent/program.ts")).program, args),
  "status-controller": async (args) =>
    runProgram((await import("./status-controller/program.ts")).program, args),
  "pod-plugin-webhook": async (args) =>
    runProgram((await import("./pod-plugin-webhook/program.ts")).program, args),
  "multi-cluster-controller": async (args) =>
    runProgram((await import("../multi-cluster/controller/program.ts")).program, args),
};
