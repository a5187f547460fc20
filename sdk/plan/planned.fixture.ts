import type { Manifest } from "../../kubernetes/values/manifest.ts";

/** Fields of planned pod templates that tests read. */

export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: { containers: Array<Record<string, unknown>>; [field: string]: unknown };
}

export interface LeaderWorkerSet extends Manifest {
  spec: {
    replicas: number;
    leaderWorkerTemplate: {
      size: number;
      leaderTemplate?: PodTemplate;
      workerTemplate: PodTemplate;
    };
  };
}

export const ofKind = (plan: Manifest[], kind: string) =>
  plan.filter((manifest) => manifest.kind === kind);

export const workloads = (plan: Manifest[]) => ofKind(plan, "LeaderWorkerSet") as LeaderWorkerSet[];
