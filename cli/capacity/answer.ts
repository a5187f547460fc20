import type { Capacity } from "../../sdk/capacity/capacity.ts";
import type { Packing } from "../../sdk/forecast/gpu-nodes.ts";
import type { Colour } from "../output/colours.ts";
import type { ReadingFormat } from "../output/print.ts";

export interface CapacityCommandOptions {
  gpus?: number[];
  gpusPerNode: number;
  nodes?: number[];
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
