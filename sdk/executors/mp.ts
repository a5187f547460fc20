import { backendFlag, flagValue } from "../engines/flags.ts";
import type { Container } from "../spec/role.ts";
import { withMoreArgs } from "./engine-argv.ts";
import { mpMaster } from "./rendezvous.ts";

/**
 * How the pods of a replica become one vLLM engine without Ray: every pod runs the same command with its rank,
 * workers without an API server. `$(NAME)` is expanded by the kubelet from the variables that the
 * LeaderWorkerSet controller sets before all others.
 */

export function mpLeader(engine: Container, nodeCount: number): Container {
  return withArgs(engine, [...groupFlags(nodeCount), "--node-rank", "0"]);
}

export function mpWorker(engine: Container, nodeCount: number): Container {
  return withArgs(engine, [
    ...groupFlags(nodeCount),
    "--node-rank",
    "$(LWS_WORKER_INDEX)",
    "--headless",
  ]);
}

function groupFlags(nodeCount: number): string[] {
  return [
    "--nnodes",
    String(nodeCount),
    "--master-addr",
    "$(LWS_LEADER_ADDRESS)",
    "--master-port",
    String(mpMaster.port),
  ];
}

function withArgs(engine: Container, flags: readonly string[]): Container {
  const args = withMoreArgs(engine, (words) => {
    const backend = flagValue(words, backendFlag) === undefined ? [backendFlag, "mp"] : [];
    return [...backend, ...flags];
  });
  return { ...engine, args };
}
