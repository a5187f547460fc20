import type { CommandLine } from "../engines/command-line.ts";
import { flagValue } from "../engines/flags.ts";
import { withWords } from "./engine-argv.ts";
import type { Executor } from "./executor.ts";
import { shellCommand } from "./shell-words.ts";
import { backendFlag } from "./vllm-backend.ts";

/** The port of Ray's head (InferenceService design, Example 2). */
const port = 6379;

/**
 * One Ray cluster per replica.
 * InferenceService design: "Leader: ray start --head && <original command> --distributed-executor-backend ray;
 * Worker: ray start --address=$LWS_LEADER_ADDRESS:6379 --block".
 */
export const ray = {
  title: "Ray, the default",
  engine: "vllm",
  adds: "`ray start` before the leader's command and in place of the workers'; `--distributed-executor-backend ray`",
  bootstrap: {
    groupPort: {
      name: "ray-head",
      port,
      user: "Ray's head listens",
      writtenIn: (words) =>
        words.includes("--head") ? (flagValue(words, "--port") ?? String(port)) : undefined,
    },
    leader: (engine) =>
      startedByShell(
        engine,
        withWords(
          engine,
          (command, args) =>
            `ray start --head --port=${port} && ${shellCommand(withBackend(engineArgv(command, args)))}`,
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
  // Manifests have the command after the image, wherever the template has it.
  return { name, image, ...start, ...engine, ...start };
}

/** Returns the engine's own command line. Images of vLLM start `vllm serve` when only arguments are given. */
function engineArgv(command: readonly string[], args: readonly string[]): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  return args[0] === "vllm" ? args : ["vllm", "serve", ...args];
}

const withBackend = (argv: readonly string[]): readonly string[] =>
  flagValue(argv, backendFlag) === undefined ? [...argv, backendFlag, "ray"] : argv;
