import type { CommandLine } from "../command-line/started-programs.ts";
import { withMoreArgs } from "../interface/engine-argv.ts";
import type { Executor } from "../interface/executor.ts";
import { type Arguments, whatIsKnown } from "../options/arguments.ts";
import { backendFlag } from "./backend.ts";

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
      writtenBy: (_, args) => whatIsKnown(args.written("--master-port")),
    },
    leader: (engine, nodeCount, args) => withArgs(engine, nodeCount, args, ["--node-rank", "0"]),
    worker: (engine, nodeCount, args) =>
      withArgs(engine, nodeCount, args, ["--node-rank", "$(LWS_WORKER_INDEX)", "--headless"]),
    engineWithoutCommand: undefined,
    ownFlags: ["--nnodes", "--node-rank", "--master-addr", "--master-port", "--headless"],
    fixedFlags: { [backendFlag]: "mp" },
  },
} as const satisfies Executor;

function withArgs<Container extends CommandLine>(
  engine: Container,
  nodeCount: number,
  written: Arguments,
  rank: readonly string[],
): Container {
  const args = withMoreArgs(engine, [
    ...(written.has(backendFlag) ? [] : [backendFlag, "mp"]),
    ...["--nnodes", String(nodeCount)],
    ...["--master-addr", "$(LWS_LEADER_ADDRESS)"],
    ...["--master-port", String(port)],
    ...rank,
  ]);
  return { ...engine, args };
}
