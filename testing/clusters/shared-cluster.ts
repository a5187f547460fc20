import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { inject } from "vitest";
import { type AttachedCluster, attachCluster } from "../api/cluster.ts";
import type { ClusterReply } from "../global-setup.ts";

/**
 * The cluster that all tests of a run share; work in a namespace of your own (`freshNamespace`).
 * The first call starts it, which takes seconds: call it in a `beforeAll` with a time limit to match. It has the
 * published CRDs and a garbage collector; start other stand-ins for your namespace (`startStandIns`).
 */
export async function sharedCluster(): Promise<AttachedCluster> {
  const reply = JSON.parse(await text(createConnection(inject("clusterSocket")))) as ClusterReply;
  if ("error" in reply) throw new Error(reply.error);
  return attachCluster(reply.address);
}
