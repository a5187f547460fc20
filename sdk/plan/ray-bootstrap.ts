import type { Container } from "../spec/role.ts";
import { backendFlag, flagValue } from "../topology/engine-flags.ts";
import { rayHead } from "../topology/rendezvous.ts";
import { shellCommand } from "./shell-words.ts";

/**
 * How the pods of a replica become one Ray cluster.
 * InferenceService design: "Leader: ray start --head && <original command> --distributed-executor-backend ray;
 * Worker: ray start --address=$LWS_LEADER_ADDRESS:6379 --block".
 */

/** The leader's engine: Ray's head first, then the engine as written. */
export function rayLeader(engine: Container): Container {
  const start = `ray start --head --port=${rayHead.port}`;
  return shell(engine, `${start} && ${shellCommand(withRayBackend(engineArgv(engine)))}`);
}

/** A worker's engine: joins the leader's Ray and stays. */
export function rayWorker(engine: Container): Container {
  return shell(engine, `ray start --address=$LWS_LEADER_ADDRESS:${rayHead.port} --block`);
}

function shell(engine: Container, script: string): Container {
  const { name, image, command: _, args: __, ...rest } = engine;
  return { name, image, command: ["/bin/sh", "-c"], args: [script], ...rest };
}

/** The engine's own command line. Images of vLLM start `vllm serve` when only arguments are given. */
function engineArgv(engine: Container): string[] {
  const command = words(engine.command);
  const args = words(engine.args);
  if (command.length > 0) return [...command, ...args];
  return args[0] === "vllm" ? args : ["vllm", "serve", ...args];
}

const words = (value: unknown): string[] => (value === undefined ? [] : [value].flat().map(String));

function withRayBackend(argv: readonly string[]): readonly string[] {
  return flagValue(argv, backendFlag) === undefined ? [...argv, backendFlag, "ray"] : argv;
}
