import { shellCommand } from "../command-line/shell-quotes.ts";
import { type CommandLine, startedBy } from "../command-line/started-programs.ts";
import { textOf } from "../command-line/words.ts";
import { fileName } from "../command-line/wrappers.ts";
import { withWords } from "../interface/engine-argv.ts";
import type { Executor } from "../interface/executor.ts";
import type { Arguments } from "../options/arguments.ts";
import { backendFlag } from "./backend.ts";

/** The port of Ray's head (InferenceService design, Example 2). */
const port = 6379;

/**
 * One Ray cluster per replica.
 * InferenceService design: "Leader: ray start --head && <original command> --distributed-executor-backend ray;
 * Worker: ray start --address=$LWS_LEADER_ADDRESS:6379 --block".
 */
export const ray = {
  title: "Ray; the default for vLLM before 0.11.1 and for its TPU, XPU and Ascend images",
  engine: "vllm",
  adds: "`ray start` before the leader's command and instead of the workers' command; `--distributed-executor-backend ray`",
  bootstrap: {
    groupPort: {
      name: "ray-head",
      port,
      user: "Ray's head listens",
      writtenBy: headPort,
    },
    leader: (engine, _, written) =>
      startedByShell(
        engine,
        withWords(
          engine,
          (command, args) =>
            `ray start --head --port=${port} && ${shellCommand(withBackend(written, engineArgv(command, args)))}`,
        ),
      ),
    worker: (engine) =>
      startedByShell(engine, `ray start --address=$LWS_LEADER_ADDRESS:${port} --block`),
    engineWithoutCommand: "vllm",
    ownFlags: [],
    fixedFlags: { [backendFlag]: "ray" },
  },
} as const satisfies Executor;

function startedByShell<Container extends CommandLine>(
  engine: Container,
  script: unknown,
): Container {
  const { name, image } = engine;
  const start = { command: ["/bin/sh", "-c"], args: [script] };
  // Manifests have the command after the image, regardless of its position in the template.
  return { name, image, ...start, ...engine, ...start };
}

/** Returns the engine's command line. Images of vLLM start `vllm serve` if only arguments are given. */
function engineArgv(command: readonly string[], args: readonly string[]): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  return args[0] === "vllm" ? args : ["vllm", "serve", ...args];
}

const withBackend = (written: Arguments, argv: readonly string[]): readonly string[] =>
  written.has(backendFlag) ? argv : [...argv, backendFlag, "ray"];

/** Returns the port of `ray start --head` in a container's script. */
function headPort(container: CommandLine): string | undefined {
  for (const { name = "", args } of startedBy(container).programs) {
    const words = args.map(({ text }) => text);
    if (fileName(name) !== "ray" || words[0] !== "start" || !words.includes("--head")) continue;
    const at = words.findIndex((word) => /^--port(=|$)/.test(word));
    if (at < 0) return String(port);
    return words[at] === "--port" ? textOf(args[at + 1]) : words[at]?.slice("--port=".length);
  }
  return undefined;
}
