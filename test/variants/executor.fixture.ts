import { argumentsOf } from "../../sdk/engines/index.ts";
import { withMoreArgs } from "../../sdk/engines/interface/engine-argv.ts";
import type { Executor } from "../../sdk/engines/interface/executor.ts";
import { whatIsKnown } from "../../sdk/engines/options/arguments.ts";

/** An executor as a contributor would write it: a file, and two lines in `sdk/engines/groups/index.ts`. */
export const torchrun = {
  title: "torchrun",
  engine: "vllm",
  adds: "`--master-addr`, `--nnodes`",
  bootstrap: {
    groupPort: {
      name: "torchrun",
      port: 29400,
      user: "torchrun's workers connect to the leader",
      writtenBy: (engine) => whatIsKnown(argumentsOf(engine).written("--master-port")),
    },
    leader: (engine, nodeCount) => ({
      ...engine,
      args: withMoreArgs(engine, ["--nnodes", String(nodeCount)]),
    }),
    worker: (engine, nodeCount) => ({
      ...engine,
      args: withMoreArgs(engine, [
        ...["--nnodes", String(nodeCount)],
        ...["--master-addr", "$(LWS_LEADER_ADDRESS)"],
      ]),
    }),
    engineWithoutCommand: undefined,
    ownFlags: ["--nnodes", "--master-addr"],
    fixedFlags: {},
  },
} as const satisfies Executor;
