import { isMap } from "../../kubernetes/values/records.ts";
import type { ClusterNode, Taint } from "./cluster-node.ts";

/** Effects that keep a pod from a node. `PreferNoSchedule` only lowers the node's score. */
const repelling: readonly string[] = ["NoSchedule", "NoExecute"];

/** The taint of a node that is cordoned; the API server sets it with `spec.unschedulable`. */
export const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Taints that repeat the condition Ready. */
const notReady: readonly string[] = [
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
];

/**
 * Returns the taints of a node that keep a pod with these tolerations away. Taints that repeat `spec.unschedulable` or
 * the condition Ready are left out.
 */
export const untolerated = ({ spec }: ClusterNode, tolerations: unknown): Taint[] =>
  (spec?.taints ?? []).filter(
    (taint) =>
      repelling.includes(taint.effect) &&
      taint.key !== cordon.key &&
      !notReady.includes(taint.key) &&
      !isTolerated(taint, tolerations),
  );

/** Reports whether one of the tolerations of a pod matches a taint. */
export const isTolerated = (taint: Taint, tolerations: unknown): boolean =>
  Array.isArray(tolerations) && tolerations.some((toleration) => tolerates(toleration, taint));

function tolerates(toleration: unknown, taint: Taint): boolean {
  if (!isMap(toleration)) return false;
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "Equal" || operator === "") && value === (taint.value ?? "");
}

/** Returns a taint as kubectl writes it: `nvidia.com/gpu=present:NoSchedule`. */
export const formatTaint = ({ key, value, effect }: Taint): string =>
  `${key}${value === undefined || value === "" ? "" : `=${value}`}:${effect}`;
