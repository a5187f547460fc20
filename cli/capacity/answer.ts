import type { Capacity } from "../../sdk/capacity/capacity.ts";
import type { Packing } from "../../sdk/placement/gpu-nodes.ts";
import type { PodPluginOptions } from "../input/pod-plugins.ts";
import type { Colour } from "../output/colours.ts";
import type { ReadingFormat } from "../output/print.ts";

export interface CapacityCommandOptions extends PodPluginOptions {
  gpus?: number[];
  gpusPerNode: number;
  /** Accelerators of each node, or a file of Node objects. */
  nodes?: number[] | string;
  /** Stack whose configuration a program reads. */
  stack: string;
  /** Contexts of a kubeconfig. */
  context?: string[];
  kubeconfig?: string;
  binpack: Packing;
  /** Status that a row must have; undefined accepts any. */
  require?: "full" | "minimum";
  format: ReadingFormat;
}

/** Returns the statuses that are accepted. */
export function sufficient(required: CapacityCommandOptions["require"]): Capacity["status"][] {
  if (required === "full") return ["Full"];
  return required === "minimum" ? ["Full", "Partial"] : ["Full", "Partial", "Blocked", "Unknown"];
}

export const colours: Record<Capacity["status"], Colour> = {
  Full: "green",
  Partial: "yellow",
  Blocked: "red",
  Unknown: "yellow",
};
