import type { CommandLine } from "../command-line/started-programs.ts";
import { whatIsKnown } from "../engines/arguments.ts";
import { argumentsOf } from "../engines/index.ts";
import { withMoreArgs } from "./engine-argv.ts";
import type { Executor } from "./executor.ts";
import { backendFlag } from "./vllm-backend.ts";

/** The default port of torch.distributed. */
const port = 29500;

/**
 * vLLM without Ray: every pod runs the same command with its rank, and workers run without an API server. The kubelet
 * expands `$(NAME)` from the variables that the LeaderWorkerSet controller sets before all others.
 */
export const mp = {
  title: "vLLM multiprocessing without Ray; the default from vLLM 0.11.1 on",
  engine: "vllm",
  adds: "`--distributed-executor-backend mp`, `--nnodes`, `--node-rank`, `--master-addr`, `--master-port`; `--headless` on workers",
  bootstrap: {
    groupPort: {
      name: "mp-master",
      port,
      user: "vLLM's workers connect to the leader",
      writtenBy: (engine) => whatIsKnown(argumentsOf(engine).written("--master-port")),
    },
    leader: (engine, nodeCount) => withArgs(engine, nodeCount, ["--node-rank", "0"]),
    worker: (engine, nodeCount) =>
      withArgs(engine, nodeCount, ["--node-rank", "$(LWS_WORKER_INDEX)", "--headless"]),
    engineWithoutCommand: undefined,
    ownFlags: ["--nnodes", "--node-rank", "--master-addr", "--master-port", "--headless"],
    fixedFlags: { [backendFlag]: "mp" },
  },
} as const satisfies Executor;

function withArgs<Container extends CommandLine>(
  engine: Container,
  nodeCount: number,
  rank: readonly string[],
): Container {
  const args = withMoreArgs(engine, [
    ...(argumentsOf(engine).has(backendFlag) ? [] : [backendFlag, "mp"]),
    ...["--nnodes", String(nodeCount)],
    ...["--master-addr", "$(LWS_LEADER_ADDRESS)"],
    ...["--master-port", String(port)],
    ...rank,
  ]);
  return { ...engine, args };
}
