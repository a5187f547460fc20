import type { Capacity } from "../../sdk/capacity/capacity.ts";
import type { Packing } from "../../sdk/forecast/gpu-nodes.ts";
import type { Colour } from "../output/colours.ts";
import type { ReadingFormat } from "../output/print.ts";

export interface CapacityCommandOptions {
  gpus?: number[];
  gpusPerNode: number;
  nodes?: number[];
  /** Clusters of a kubeconfig, by their contexts. */
  context?: string[];
  kubeconfig?: string;
  binpack: Packing;
  /** Which rows will do; any where it is absent. */
  require?: "full" | "minimum";
  format: ReadingFormat;
}

/** The statuses that will do. */
export function sufficient(required: CapacityCommandOptions["require"]): Capacity["status"][] {
  if (required === "full") return ["Full"];
  return required === "minimum" ? ["Full", "Partial"] : ["Full", "Partial", "Blocked"];
}

export const colours: Record<Capacity["status"], Colour> = {
  Full: "green",
  Partial: "yellow",
  Blocked: "red",
};
