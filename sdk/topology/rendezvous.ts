import { type InferenceRole, isMultiNode } from "../spec/role.ts";

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

/** Undefined for single-node roles and for groups that a template forms by itself. */
export function rendezvousOf(role: InferenceRole): Rendezvous | undefined {
  if (!isMultiNode(role)) return undefined;
  switch (role.multinode?.executor) {
    case "ray":
      return rayHead;
    case "mp":
      return mpMaster;
    default:
      return undefined;
  }
}
