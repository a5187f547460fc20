import { backendFlag, flagValue } from "../engines/flags.ts";
import type { Container } from "../spec/role.ts";
import { withWords } from "./engine-argv.ts";
import { rayHead } from "./rendezvous.ts";
import { shellCommand } from "./shell-words.ts";

/**
 * How the pods of a replica become one Ray cluster.
 * InferenceService design: "Leader: ray start --head && <original command> --distributed-executor-backend ray;
 * Worker: ray start --address=$LWS_LEADER_ADDRESS:6379 --block".
 */

/** The leader's engine: Ray's head first, then the engine as written. */
export function rayLeader(engine: Container): Container {
  const start = `ray start --head --port=${rayHead.port}`;
  const script = withWords(
    engine,
    (command, args) => `${start} && ${shellCommand(withRayBackend(engineArgv(command, args)))}`,
  );
  return shell(engine, script);
}

/** A worker's engine: joins the leader's Ray and stays. */
export function rayWorker(engine: Container): Container {
  return shell(engine, `ray start --address=$LWS_LEADER_ADDRESS:${rayHead.port} --block`);
}

function shell(engine: Container, script: unknown): Container {
  const { name, image, command: _, args: __, ...rest } = engine;
  return { name, image, command: ["/bin/sh", "-c"], args: [script], ...rest };
}

/** The engine's own command line. Images of vLLM start `vllm serve` when only arguments are given. */
function engineArgv(command: readonly string[], args: readonly string[]): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  return args[0] === "vllm" ? args : ["vllm", "serve", ...args];
}

function withRayBackend(argv: readonly string[]): readonly string[] {
  return flagValue(argv, backendFlag) === undefined ? [...argv, backendFlag, "ray"] : argv;
}
