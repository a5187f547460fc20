import type { CommandLine } from "../command-line/started-programs.ts";
import { withMoreArgs } from "../interface/engine-argv.ts";
import type { Executor } from "../interface/executor.ts";
import { whatIsKnown } from "../options/arguments.ts";

/** The port in SGLang's documentation. Data parallel copies use the ports directly above it. */
const port = 20000;

/**
 * One SGLang engine per replica: every pod runs the same command and takes its rank from the variables of the
 * LeaderWorkerSet controller, which the kubelet expands. The leader's rank is 0. SGLang, multi-node deployment:
 * --dist-init-addr, --nnodes, --node-rank.
 */
export const sglang = {
  title: "SGLang's built-in launcher; the default for SGLang",
  engine: "sglang",
  adds: "`--dist-init-addr`, `--nnodes`, `--node-rank`",
  bootstrap: {
    groupPort: {
      name: "dist-init",
      port,
      user: "SGLang's workers connect to the leader",
      writtenBy(_, args) {
        const address = whatIsKnown(args.written("--dist-init-addr"));
        return /:(\d+)$/.exec(address ?? "")?.[1];
      },
    },
    leader: withGroupFlags,
    worker: withGroupFlags,
    engineWithoutCommand: undefined,
    ownFlags: ["--dist-init-addr", "--nnodes", "--node-rank"],
    fixedFlags: {},
  },
} as const satisfies Executor;

function withGroupFlags<Container extends CommandLine>(
  engine: Container,
  nodeCount: number,
): Container {
  const args = withMoreArgs(engine, [
    ...["--dist-init-addr", `$(LWS_LEADER_ADDRESS):${port}`],
    ...["--nnodes", String(nodeCount)],
    ...["--node-rank", "$(LWS_WORKER_INDEX)"],
  ]);
  return { ...engine, args };
}
