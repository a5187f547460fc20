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

/** Returns the EndpointPickerConfig that a plan passes to its picker; undefined if there is none. */
export function pickerConfigIn(plan: readonly Manifest[]): string | undefined {
  const flag = "--config-text=";
  const [argument] = plan
    .filter(({ kind }) => kind === "Deployment")
    .flatMap(({ spec }) => (spec as { template: PodTemplate }).template.spec.containers)
    .flatMap(({ args }) => (args ?? []) as string[])
    .filter((text) => text.startsWith(flag));
  return argument?.slice(flag.length).replaceAll("$$", "$");
}
