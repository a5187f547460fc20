import { type GpuNode, nodesOf } from "../sdk/index.ts";
import { gpusNeeded } from "./report.ts";
import type { Story } from "./story.ts";

/** GPUs of a node. */
export const gpusPerNode = 8;

/** A pod, as far as the demo shows it. */
export interface ShownPod {
  readonly metadata?: {
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
  };
  readonly spec?: { readonly nodeName?: string } | undefined;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}

/** A cluster to show a story on. */
export interface Place {
  readonly words: string;
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  readonly gpus: number;
  /** Whether real schedulers decide which pods start. */
  readonly schedules: boolean;
  /** The pods of the namespace once nobody is about to change them. */
  settled(): Promise<readonly ShownPod[]>;
  /** How many pods are left after all was deleted. */
  left(): Promise<number>;
  stop(): Promise<void>;
}

/** GPU nodes of a cluster for a story. */
export function nodesFor({ service }: Story, gpus: number | undefined): GpuNode[] {
  const needed = Math.ceil(gpusNeeded(service) / gpusPerNode) * gpusPerNode;
  return nodesOf(gpus ?? needed, gpusPerNode);
}
