import type { Manifest } from "../kubernetes/manifest.ts";
import type { Container, PodSpec } from "../spec/role.ts";
import { acceleratorsOf, engineIndexOf } from "../topology/engine-container.ts";
import { annotation, label } from "../topology/names.ts";
import type { Invariant } from "./invariant.ts";

/** Alike pods that an object of a stack makes. */
export interface PlannedPods {
  /** Place of the pod template, starting with the object's index in the stack. */
  readonly path: (string | number)[];
  readonly namespace: string;
  /** Pods of this template. */
  readonly count: number;
  /** Pods that form one replica with these. */
  readonly groupSize: number;
  readonly isWorker: boolean;
  /** PodGroup that the pods name. */
  readonly group: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

export interface PodGroupSpec {
  readonly minMember: number;
  readonly minTaskMember?: Readonly<Record<string, number>>;
  readonly subGroupPolicy?: ReadonlyArray<{
    readonly name: string;
    readonly labelSelector: { readonly matchLabels: Record<string, string> };
    readonly matchLabelKeys: readonly string[];
    readonly subGroupSize: number;
    readonly minSubGroups: number;
  }>;
}

interface Template {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

/** The pods of every LeaderWorkerSet of a stack. */
export function podsOf(stack: readonly Manifest[]): PlannedPods[] {
  return stack.flatMap((manifest, index) => {
    if (manifest.kind !== "LeaderWorkerSet") return [];
    const { replicas, leaderWorkerTemplate } = manifest.spec as {
      replicas: number;
      leaderWorkerTemplate: { size: number; leaderTemplate?: Template; workerTemplate: Template };
    };
    const { size, leaderTemplate, workerTemplate } = leaderWorkerTemplate;
    const pods = (field: string, template: Template, count: number, isWorker: boolean) => ({
      path: [index, "spec", "leaderWorkerTemplate", field],
      namespace: manifest.metadata.namespace ?? "default",
      count,
      groupSize: size,
      isWorker,
      group: template.metadata?.annotations?.[annotation.groupName],
      labels: template.metadata?.labels ?? {},
      annotations: template.metadata?.annotations ?? {},
      spec: template.spec,
    });
    const workers = replicas * (size - 1);
    return [
      leaderTemplate === undefined
        ? pods("workerTemplate", workerTemplate, replicas, false)
        : pods("leaderTemplate", leaderTemplate, replicas, false),
      ...(workers > 0 ? [pods("workerTemplate", workerTemplate, workers, true)] : []),
    ];
  });
}

export function podGroups(stack: readonly Manifest[]) {
  return stack.flatMap((manifest, index) =>
    manifest.kind === "PodGroup"
      ? [
          {
            path: [index, "spec"] as (string | number)[],
            namespace: manifest.metadata.namespace ?? "default",
            name: manifest.metadata.name,
            spec: manifest.spec as PodGroupSpec,
          },
        ]
      : [],
  );
}

const probes = ["startupProbe", "readinessProbe", "livenessProbe"] as const;

const workersHaveNoNetworkProbe: Invariant<readonly Manifest[]> = {
  id: "workers-have-no-network-probe",
  title: "Engines of worker pods have no probe on the network and no port named http",
  why: "Workers serve nothing: such a probe never succeeds and restarts the whole group.",
  source: "sigs.k8s.io/lws: a group is ready when its workers are; RecreateGroupOnPodRestart",
  code: "conflict",
  *check(stack) {
    for (const pods of podsOf(stack).filter(({ isWorker }) => isWorker)) {
      const engine = pods.spec.containers.findIndex(isEngine);
      const container = pods.spec.containers[engine];
      if (container === undefined) continue;
      const path = [...pods.path, "spec", "containers", engine];
      for (const probe of probes) {
        const written = container[probe] as object | undefined;
        if (written === undefined || "exec" in written) continue;
        yield {
          path: [...path, probe],
          given: "is set",
          allowed: "exec probes",
          fix: "Remove it.",
        };
      }
      if (container.ports?.some(({ name }) => name === "http")) {
        yield {
          path: [...path, "ports"],
          given: "has the serving port",
          allowed: "ports that workers listen on",
          fix: "Remove it.",
        };
      }
    }
  },
};

const leadersAreReadyWhenServing: Invariant<readonly Manifest[]> = {
  id: "leaders-are-ready-when-serving",
  title: "Multi-node leaders have a readiness probe",
  why: "Without one the pool sends requests to a model that is still loading.",
  source: "Gateway API inference extension: pools hold ready pods",
  code: "reference",
  *check(stack) {
    for (const pods of podsOf(stack).filter((each) => !each.isWorker && each.groupSize > 1)) {
      const engine = engineIndexOf(pods.spec);
      if (pods.spec.containers[engine]?.readinessProbe !== undefined) continue;
      yield {
        path: [...pods.path, "spec", "containers", engine, "readinessProbe"],
        given: "is missing",
        allowed: "a probe on the serving port",
        fix: "Add one.",
      };
    }
  },
};

const templatesHaveNoRevision: Invariant<readonly Manifest[]> = {
  id: "templates-have-no-revision",
  title: "Pod templates carry no revision or hash of the spec",
  why: "Every edit of the spec would restart every GPU pod.",
  source: "InferenceService design: fusioninfer.io/revision is for update detection",
  code: "conflict",
  *check(stack) {
    for (const pods of podsOf(stack)) {
      if (!(label.revision in pods.labels)) continue;
      yield {
        path: [...pods.path, "metadata", "labels", label.revision],
        given: "is set",
        allowed: "on objects only",
        fix: "Remove it from the template.",
      };
    }
  },
};

const isEngine = (container: Container): boolean => acceleratorsOf(container) > 0;

export const podStackRules: ReadonlyArray<Invariant<readonly Manifest[]>> = [
  workersHaveNoNetworkProbe,
  leadersAreReadyWhenServing,
  templatesHaveNoRevision,
];
