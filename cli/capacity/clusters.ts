import { nodesOf, type PlacementNodes } from "../../sdk/placement/gpu-nodes.ts";
import { asIfEmpty, readClusterNodes } from "../check/cluster-nodes.ts";
import { UsageError } from "../exit-code.ts";
import { readNodeList } from "../input/node-list.ts";
import type { Terminal } from "../terminal.ts";
import type { CapacityCommandOptions } from "./answer.ts";

/** Nodes on which the input is placed. */
export interface ClusterSize {
  /** Context of the kubeconfig. */
  readonly cluster?: string;
  /** Undefined if they cannot be read. */
  readonly nodes: PlacementNodes | undefined;
  readonly note: string;
}

/** Returns the nodes that the options name. Each is one row, or one row for each service. */
export async function clustersOf(
  options: CapacityCommandOptions,
  terminal: Terminal,
): Promise<ClusterSize[]> {
  const { gpus, gpusPerNode, nodes, context } = options;
  const isKnown = context !== undefined || typeof nodes === "string";
  if (isKnown) terminal.err.write(asIfEmpty);
  if (context !== undefined) return Promise.all(context.map((each) => clusterOf(each, options)));
  if (typeof nodes === "string") return [{ nodes: await readNodeList(nodes, terminal), note: "" }];
  if (nodes !== undefined) return [{ nodes: nodes.map((count) => ({ gpus: count })), note: "" }];
  if (gpus === undefined) throw new UsageError("give --gpus, --nodes or --context");
  return gpus.map((count) => {
    const rest = count % gpusPerNode;
    const note = rest === 0 ? "" : `the last node has ${rest} of ${gpusPerNode} GPUs`;
    return { nodes: nodesOf(count, gpusPerNode), note };
  });
}

async function clusterOf(
  cluster: string,
  { kubeconfig }: CapacityCommandOptions,
): Promise<ClusterSize> {
  try {
    const from = { context: cluster, ...(kubeconfig && { kubeconfig }) };
    return { cluster, nodes: await readClusterNodes(from, `--context ${cluster}`), note: "" };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { cluster, nodes: undefined, note: error.message };
  }
}
