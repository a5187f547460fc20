import type { Container } from "../spec/role.ts";
import { withMoreArgs } from "./engine-argv.ts";
import { sglangInit } from "./rendezvous.ts";

/**
 * How the pods of a replica become one SGLang engine: every pod runs the same command and finds its rank in the
 * variables of the LeaderWorkerSet controller, which the kubelet expands. The leader's rank is 0.
 * SGLang, multi-node deployment: --dist-init-addr, --nnodes, --node-rank.
 */
export function sglangPod(engine: Container, nodeCount: number): Container {
  const args = withMoreArgs(engine, () => [
    "--dist-init-addr",
    `$(LWS_LEADER_ADDRESS):${sglangInit.port}`,
    "--nnodes",
    String(nodeCount),
    "--node-rank",
    "$(LWS_WORKER_INDEX)",
  ]);
  return { ...engine, args };
}
