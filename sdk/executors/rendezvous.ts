import { flagValue } from "../engines/flags.ts";
import type { InferenceRole } from "../spec/role.ts";
import { executorOf } from "../topology/executor.ts";

/** The port on which the pods of a replica meet at their leader. */
export interface Rendezvous {
  readonly name: string;
  readonly port: number;
  /** Who listens there, in words. */
  readonly user: string;
}

/** Ray's head listens here (InferenceService design, Example 2). */
export const rayHead: Rendezvous = { name: "ray-head", port: 6379, user: "Ray's head listens" };

/** The rendezvous of vLLM's multiprocessing executor, torch.distributed's default port. */
export const mpMaster: Rendezvous = {
  name: "mp-master",
  port: 29_500,
  user: "vLLM's workers join the leader",
};

/** The rendezvous of SGLang, on the port of its documentation. Data parallel copies use those right above it. */
export const sglangInit: Rendezvous = {
  name: "dist-init",
  port: 20_000,
  user: "SGLang's workers join the leader",
};

/** Undefined for single-node roles and for groups that a template forms by itself. */
export function rendezvousOf(role: InferenceRole): Rendezvous | undefined {
  switch (executorOf(role)) {
    case "ray":
      return rayHead;
    case "mp":
      return mpMaster;
    case "sglang":
      return sglangInit;
    default:
      return undefined;
  }
}

/** The port on which a command lets a group meet: that of Ray's head, of torch.distributed or of SGLang. */
export function meetingPortOf(words: readonly string[]): number | undefined {
  const head = words.includes("--head") ? (flagValue(words, "--port") ?? "6379") : undefined;
  const init = /:(\d+)$/.exec(flagValue(words, "--dist-init-addr") ?? "")?.[1];
  const port = head ?? flagValue(words, "--master-port") ?? init;
  return port !== undefined && /^\d+$/.test(port) ? Number(port) : undefined;
}
