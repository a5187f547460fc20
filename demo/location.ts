import { type GpuNode, nodesOf } from "../sdk/index.ts";
import { gpusNeeded } from "./report.ts";
import type { Story } from "./story.ts";

/** GPUs of a node. */
export const gpusPerNode = 8;

/** The fields of a pod that the demo shows. */
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

/** A cluster for a story. */
export interface Location {
  readonly words: string;
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  readonly gpus: number;
  /** Whether real schedulers place the pods. */
  readonly schedules: boolean;
  /** Returns the pods of the namespace when they have stopped changing. */
  settled(): Promise<readonly ShownPod[]>;
  /** Number of pods left after the stack was destroyed. */
  left(): Promise<number>;
  stop(): Promise<void>;
}

/** GPU nodes of a cluster for a story. */
export function nodesFor(story: Story, gpus = story.gpus): GpuNode[] {
  const needed = Math.ceil(gpusNeeded(story.service) / gpusPerNode) * gpusPerNode;
  return nodesOf(gpus ?? needed, gpusPerNode);
}
