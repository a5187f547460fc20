import { formatQuantity } from "../../kubernetes/values/quantity.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { acceleratorTypes } from "../engines/accelerators/index.ts";
import {
  podResources,
  quantities,
  type ResourceList,
} from "../engines/accelerators/pod-resources.ts";
import { selectedAccelerators } from "../engines/start-up/template-accelerator.ts";
import type { PodSpec } from "../schemas/pod-template.ts";
import { acceleratorsOfNode, type ClusterNode, isReady } from "./cluster-node.ts";
import { matchesTerms } from "./node-affinity.ts";
import { cordon, formatTaint, isTolerated, untolerated } from "./taints.ts";

/** The property of a node because of which it does not accept a pod. */
export type ObstacleKind =
  | "ready"
  | "schedulable"
  | "name"
  | "selector"
  | "affinity"
  | "taint"
  | "resource";

/** One reason why a node does not accept a pod. */
export interface Obstacle {
  readonly kind: ObstacleKind;
  /** Key of the label, key of the taint or name of the resource, if there is one. */
  readonly key?: string;
  /** The reason, with the node as its subject: `has the label gpu=t4, not l40s`. */
  readonly text: string;
}

/** Pods that the scheduler has to place: a pod, or the spec of a pod template. */
export type PlacedSpec = Pick<PodSpec, "containers" | "initContainers"> & {
  readonly nodeName?: unknown;
  readonly nodeSelector?: unknown;
  readonly affinity?: unknown;
  readonly tolerations?: unknown;
  readonly overhead?: unknown;
  readonly hostNetwork?: unknown;
};

/**
 * Returns every reason why an empty node does not accept a pod, by the rules of kube-scheduler's plugins NodeName,
 * NodeAffinity, NodeUnschedulable, TaintToleration and NodeResourcesFit, which Volcano's predicates also apply; empty
 * if the node accepts it. Pods that already run there are not considered, and neither is anything that depends on them
 * or on other nodes: affinity between pods, spread constraints, volumes and resource claims.
 *
 * A node that is not ready accepts no pod. An amount that every kubelet reports (cpu, memory, ephemeral-storage and
 * pods) limits nothing if the node does not list it; any other resource that it does not list is 0.
 */
export function nodeObstacles(pod: PlacedSpec, node: ClusterNode): Obstacle[] {
  return [
    ...placementObstacles(pod, node),
    ...resourceObstacles(requestsOf(pod), allocatableOf(node)),
  ];
}

/** The same without the resources: labels, taints and conditions. */
export function placementObstacles(pod: PlacedSpec, node: ClusterNode): Obstacle[] {
  const obstacles: Obstacle[] = [];
  if (!isReady(node)) obstacles.push({ kind: "ready", text: "is not ready" });
  if (node.spec?.unschedulable === true && !isTolerated(cordon, pod.tolerations))
    obstacles.push({ kind: "schedulable", text: "is cordoned" });
  for (const taint of untolerated(node, pod.tolerations))
    obstacles.push({
      kind: "taint",
      key: taint.key,
      text: `has the taint ${formatTaint(taint)}`,
    });
  const { name, labels = {} } = node.metadata;
  if (isSet(pod.nodeName) && pod.nodeName !== name)
    obstacles.push({ kind: "name", text: `is not the node ${pod.nodeName}` });
  for (const [key, wanted] of Object.entries(isMap(pod.nodeSelector) ? pod.nodeSelector : {}))
    if (!Object.hasOwn(labels, key) || labels[key] !== wanted)
      obstacles.push({ kind: "selector", key, text: labelText(labels, key, String(wanted)) });
  const required = requiredAffinity(pod.affinity);
  if (required !== undefined && !matchesTerms(required.nodeSelectorTerms, node))
    obstacles.push({ kind: "affinity", text: affinityText(pod, node) });
  return obstacles;
}

/** Names the accelerators if the pod selects one: the planned affinity has a dozen terms. */
function affinityText(pod: PlacedSpec, node: ClusterNode): string {
  const [wanted] = selectedAccelerators(pod);
  const [found] = acceleratorsOfNode(node);
  if (wanted === undefined || found === wanted)
    return "matches no term of the required node affinity";
  const { title } = acceleratorTypes[wanted];
  return found === undefined
    ? `lacks a label of ${title}`
    : `has ${acceleratorTypes[found].title} instead of ${title}`;
}

/**
 * Reports whether no node of a list matches the labels that a pod requires. Nodes that an autoscaler would add may have
 * them, so it is not known whether the pod would start.
 */
export const matchesNoLabels = (pod: PlacedSpec, nodes: readonly ClusterNode[]): boolean =>
  nodes.every((node) =>
    placementObstacles(pod, node).some(({ kind }) => kind === "selector" || kind === "affinity"),
  );

/** Returns the resources that an empty node lacks, in the order of the requests. */
export const resourceObstacles = (requests: ResourceList, free: ResourceList): Obstacle[] =>
  [...requests].flatMap(([key, quantity]): Obstacle[] => {
    const offered = free.get(key);
    if (quantity.nanos <= 0n || (offered?.nanos ?? 0n) >= quantity.nanos) return [];
    if (offered === undefined && isNotListed(key)) return [];
    const amount =
      offered === undefined || (offered.nanos === 0n && key.includes("/"))
        ? "no"
        : `only ${formatQuantity(offered)}`;
    const text = `has ${amount} ${key}, but the pod requests ${formatQuantity(quantity)}`;
    return [{ kind: "resource", key, text }];
  });

const everyKubeletReports: readonly string[] = ["cpu", "memory", "ephemeral-storage", "pods"];

/** Whether a node that offers the resource may not list it. Devices of a DeviceClass are in ResourceSlices. */
const isNotListed = (resource: string): boolean =>
  everyKubeletReports.includes(resource) ||
  resource.startsWith("deviceclass.resource.kubernetes.io/");

/** Returns what a pod takes from a node: its requests, and one of the node's pods. */
export const requestsOf = (pod: PlacedSpec): ResourceList =>
  new Map([
    ...podResources(pod as PodSpec),
    ["pods", { nanos: 1_000_000_000n, format: "decimal" }],
  ]);

export const allocatableOf = ({ status }: ClusterNode): ResourceList =>
  quantities(status?.allocatable);

const labelText = (labels: Readonly<Record<string, string>>, key: string, wanted: string) =>
  Object.hasOwn(labels, key)
    ? `has the label ${key}=${labels[key]}, not ${wanted}`
    : `lacks the label ${key}=${wanted}`;

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

function requiredAffinity(affinity: unknown): Readonly<Record<string, unknown>> | undefined {
  const node = isMap(affinity) ? affinity.nodeAffinity : undefined;
  const required = isMap(node) ? node.requiredDuringSchedulingIgnoredDuringExecution : undefined;
  return isMap(required) ? required : undefined;
}
