import { describe, stderrLog } from "./manager/log.ts";

/** Programs of this image. Each is loaded when it runs. */
const programs: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  "endpoint-picker": async (args) =>
    (await import("./programs/endpoint-picker/run.ts")).runEndpointPicker(args),
  "import-agent": async (args) =>
    (await import("./programs/import-agent/run.ts")).runImportAgent(args),
  "status-controller": async (args) =>
    (await import("./programs/status-controller/run.ts")).runStatusController(args),
  "pod-plugin-webhook": async (args) =>
    (await import("./programs/pod-plugin-webhook/run.ts")).runPodPluginWebhook(args),
  "multi-cluster-controller": async (args) =>
    (await import("./programs/multi-cluster-controller/run.ts")).runMultiClusterController(args),
};

/** The first argument names the program; without it, when flags come first, the endpoint picker runs. */
async function main(args: readonly string[]): Promise<number> {
  const [first] = args;
  const [name, rest] = first?.startsWith("-") ? ["endpoint-picker", args] : [first, args.slice(1)];
  const program = name === undefined ? undefined : programs[name];
  if (program !== undefined) return program(rest);
  const given = name === undefined ? "no program was given" : `${name}: unknown program`;
  process.stderr.write(
    `${given}; give one of ${Object.keys(programs).join(", ")}, and --help after it\n`,
  );
  return 2;
}

process.on("uncaughtException", (error: unknown) => {
  const frames = error instanceof Error ? error.stack?.split("\n    at ").slice(1) : undefined;
  stderrLog(0).error("unexpected failure", describe(error), { frames });
  process.exit(1);
});

void main(process.argv.slice(2)).then((code) => process.exit(code));
