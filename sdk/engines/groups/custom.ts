import type { Executor } from "../interface/executor.ts";

/** The commands of the template form the group. */
export const custom = {
  title: "the template's command",
  engine: undefined,
  adds: "nothing: every pod runs the template's command, which reads `LWS_LEADER_ADDRESS`, `LWS_GROUP_SIZE` and `LWS_WORKER_INDEX`",
  bootstrap: undefined,
} as const satisfies Executor;
