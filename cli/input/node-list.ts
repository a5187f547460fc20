import { z } from "zod";
import { isMap } from "../../kubernetes/values/records.ts";
import { type ClusterNode, clusterNode } from "../../sdk/placement/cluster-node.ts";
import { UsageError } from "../exit-code.ts";
import type { InputTerminal } from "./manifests.ts";
import { readObjects } from "./objects.ts";

/**
 * Returns the nodes of the output of `kubectl get nodes -o yaml` or `-o json`: a list, or single nodes.
 *
 * @throws UsageError for another object, a node with fields of the wrong shape, and two nodes of one name
 */
export async function readNodeList(file: string, terminal: InputTerminal): Promise<ClusterNode[]> {
  const objects = await readObjects([file], terminal);
  const nodes = objects.map(({ location, value }) => {
    if (value.apiVersion !== "v1" || value.kind !== "Node")
      throw new UsageError(
        `--nodes ${location}: is a ${value.kind} (${value.apiVersion}); allowed: the output of kubectl get nodes -o yaml`,
      );
    return nodeOf(value, `--nodes ${location}`);
  });
  const names = nodes.map(({ metadata }) => metadata.name);
  if (names.includes("")) throw new UsageError(`--nodes ${file}: has a node without metadata.name`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`--nodes ${file}: has two nodes named ${twice}`);
  return nodes;
}

/**
 * Returns the fields of a node that decide which pods it accepts.
 *
 * @throws UsageError with the first field of the wrong shape
 */
export function nodeOf(value: unknown, source: string): ClusterNode {
  const { data, error } = clusterNode.safeParse(withoutNulls(value));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const path = z.core.toDotPath(issue?.path ?? []);
  throw new UsageError(`${source}: a node cannot be read: ${path}: ${issue?.message}`);
}

/** The API server treats an explicit null as an absent field. */
const withoutNulls = (value: unknown): unknown =>
  isMap(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, field]) => field !== null)
          .map(([key, field]) => [key, withoutNulls(field)]),
      )
    : value;
