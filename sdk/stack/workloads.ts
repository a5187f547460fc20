import { kinds } from "../../kubernetes/kinds/index.ts";
import { groupKind } from "../../kubernetes/kinds/kind.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { Accelerators, type NamedAccelerator } from "../engines/accelerators/named-accelerator.ts";
import { acceleratorsOf, type Devices, sumOf } from "../engines/accelerators/pod-accelerators.ts";
import { containersOf as containersOfPod } from "../engines/containers/containers.ts";
import { engineIndexIn } from "../engines/containers/engine-container.ts";
import type { Path } from "../errors.ts";
import { annotation } from "../names.ts";
import { valueAt } from "../schemas/value-at.ts";
import {
  type ContainerShape,
  isRead,
  type LeaderWorkerSetShape,
  type PodShape,
  type PodTemplateShape,
  podTemplate,
} from "./shapes.ts";
import type { StackObject } from "./stack-object.ts";
import { attempt } from "./unknown-value.ts";

/** An object that creates pods. */
export interface Workload {
  readonly object: StackObject;
  readonly name: string;
  readonly namespace: string;
  /** Set for a LeaderWorkerSet. */
  readonly set: LeaderWorkerSetShape | undefined;
  /** Number of replicas; for a LeaderWorkerSet, the number of groups. */
  readonly replicas: number;
  /** Number of pods of one replica. */
  readonly size: number;
  /** The first pod of each replica, then the workers, if there are any. */
  readonly pods: readonly PodTemplateUse[];
  /** Resources that the object's annotation defines as accelerators. */
  readonly accelerators: readonly NamedAccelerator[];
}

/** The pods made from one template of a workload. Reading a value that is not known yet throws. */
export interface PodTemplateUse {
  readonly workload: Workload;
  /** Path of the pod template, starting with the object's index in the stack. */
  readonly path: readonly (string | number)[];
  readonly isWorker: boolean;
  /** Number of pods of this template in one replica. */
  readonly inReplica: number;
  /** Number of pods of this template in all replicas. */
  readonly count: number;
  /** PodGroup that the pods name. */
  readonly group: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodShape;
}

export const lwsKind = groupKind(kinds.LeaderWorkerSet);

type Read = (object: StackObject) => Layout;

interface Layout {
  readonly replicas: () => number;
  readonly templates: readonly Template[];
  readonly set?: LeaderWorkerSetShape;
}

interface Template {
  readonly path: Path;
  readonly template: PodTemplateShape;
  readonly isWorker?: boolean;
  readonly inReplica?: number;
}

const readers: Readonly<Record<string, Read>> = {
  "/Pod": ({ manifest }) => ({
    replicas: () => 1,
    templates: [{ path: [], template: manifest as unknown as PodTemplateShape }],
  }),
  "batch/CronJob": ({ manifest }) => {
    const { jobTemplate } = manifest.spec as {
      jobTemplate: { spec: { parallelism?: number; template: PodTemplateShape } };
    };
    const path = ["spec", "jobTemplate", "spec", "template"];
    return {
      replicas: () => jobTemplate.spec.parallelism ?? 1,
      templates: [{ path, template: jobTemplate.spec.template }],
    };
  },
  "batch/Job": replicated("parallelism"),
  "apps/DaemonSet": replicated("replicas"),
  "apps/Deployment": replicated("replicas"),
  "apps/ReplicaSet": replicated("replicas"),
  "apps/StatefulSet": replicated("replicas"),
  "/ReplicationController": replicated("replicas"),
  [lwsKind]: leaderWorkerSet,
};

function replicated(count: "replicas" | "parallelism"): Read {
  return ({ manifest }) => {
    const spec = manifest.spec as Record<typeof count, number | undefined> & {
      template: PodTemplateShape;
    };
    const templates = [{ path: ["spec", "template"], template: spec.template }];
    const replicas = () => (typeof spec[count] === "number" ? spec[count] : 1);
    return { replicas, templates };
  };
}

function leaderWorkerSet({ manifest }: StackObject): Layout {
  const set = manifest.spec as LeaderWorkerSetShape;
  const { size = 1, leaderTemplate, workerTemplate } = set.leaderWorkerTemplate;
  const at = (field: string) => ["spec", "leaderWorkerTemplate", field];
  const worker = { path: at("workerTemplate"), template: workerTemplate };
  const leader =
    leaderTemplate === undefined
      ? worker
      : { path: at("leaderTemplate"), template: leaderTemplate };
  const workers = size > 1 ? [{ ...worker, isWorker: true, inReplica: size - 1 }] : [];
  return { replicas: () => set.replicas ?? 1, templates: [leader, ...workers], set };
}

/** Reports whether `workloadOf` reads objects of a kind. */
const makesPods = (kind: string): boolean => Object.hasOwn(readers, kind);

/**
 * Returns the pods that an object creates. Undefined for an object that creates none. An object of an unknown kind with
 * a pod template where Deployments have it, such as a Rollout of Argo, creates pods like a Deployment.
 */
export function workloadOf(object: StackObject): Workload | undefined {
  const read = makesPods(object.kind)
    ? readers[object.kind]
    : isLikeDeployment(object)
      ? replicated("replicas")
      : undefined;
  if (read === undefined) return undefined;
  const { replicas, templates, set } = read(object);
  const workload = new WorkloadOfObject(object, replicas, set);
  workload.pods = templates.map((template) => new PodsOfTemplate(workload, template));
  return workload;
}

/** A template with values that are not known yet is read like a template at any other path. */
function isLikeDeployment({ kind, manifest }: StackObject): boolean {
  if (isRead(kind) || !isCustom(kind)) return false;
  const read = attempt(() => {
    const { template } = (manifest.spec ?? {}) as { template?: unknown };
    return podTemplate.safeParse(template).success;
  });
  return "value" in read && read.value;
}

/** Groups of custom resources are domains; `apps` and `batch` are not. */
const isCustom = (kind: string): boolean => /^[^/]+\.(?!k8s\.io)/.test(kind);

/**
 * Returns the pods of the templates at the given paths of an object of another kind. Its number of replicas is not
 * known and counts as 1.
 */
export function podsOfTemplates(object: StackObject, paths: readonly Path[]): PodTemplateUse[] {
  const workload = new WorkloadOfObject(object, () => 1, undefined);
  workload.pods = paths.map((path) => {
    const template = valueAt(object.manifest, path) as PodTemplateShape;
    return new PodsOfTemplate(workload, { path, template });
  });
  return [...workload.pods];
}

class WorkloadOfObject implements Workload {
  readonly object: StackObject;
  readonly set: LeaderWorkerSetShape | undefined;
  readonly #replicas: () => number;
  pods: readonly PodTemplateUse[] = [];

  constructor(object: StackObject, replicas: () => number, set: LeaderWorkerSetShape | undefined) {
    this.object = object;
    this.set = set;
    this.#replicas = replicas;
  }

  get name(): string {
    return this.object.manifest.metadata.name;
  }

  get namespace(): string {
    return this.object.manifest.metadata.namespace ?? "default";
  }

  get replicas(): number {
    return this.#replicas();
  }

  get size(): number {
    return this.pods.reduce((sum, { inReplica }) => sum + inReplica, 0);
  }

  get accelerators(): readonly NamedAccelerator[] {
    return namedAccelerators(this.object.manifest.metadata.annotations?.[annotation.accelerators]);
  }
}

class PodsOfTemplate implements PodTemplateUse {
  readonly workload: Workload;
  readonly path: readonly (string | number)[];
  readonly isWorker: boolean;
  readonly inReplica: number;
  readonly #template: PodTemplateShape;

  constructor(workload: Workload, { path, template, isWorker = false, inReplica = 1 }: Template) {
    this.workload = workload;
    this.path = [workload.object.index, ...path];
    this.isWorker = isWorker;
    this.inReplica = inReplica;
    this.#template = template;
  }

  get count(): number {
    return this.workload.replicas * this.inReplica;
  }

  get group(): string | undefined {
    return this.annotations[annotation.groupName];
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#template.metadata?.labels ?? {};
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#template.metadata?.annotations ?? {};
  }

  get spec(): PodShape {
    return this.#template.spec;
  }
}

/** Returns no accelerators if the annotation does not have the format of the plan. */
function namedAccelerators(text: string | undefined): readonly NamedAccelerator[] {
  if (text === undefined) return [];
  try {
    return Accelerators.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}

/** Number of accelerators of one pod. */
export const acceleratorsOfPods = (
  { spec, workload }: Pick<PodTemplateUse, "spec" | "workload">,
  measure?: "devices" | "ranks",
): Devices =>
  sumOf(
    spec.containers.map((container) => acceleratorsOf(container, workload.accelerators, measure)),
  );

/** Number of accelerators of one container of a pod. */
export const acceleratorsOfContainer = (
  { workload }: Pick<PodTemplateUse, "workload">,
  container: ContainerShape,
): Devices => acceleratorsOf(container, workload.accelerators);

/** Returns the container that runs the engine, with its path. */
export function engineOfPods({ spec, path }: Pick<PodTemplateUse, "spec" | "path">) {
  const at = engineIndexIn(spec.containers);
  const container = spec.containers[at];
  return container && { container, path: [...path, "spec", "containers", at] };
}

/** Returns every container of a pod with its path, including init containers. */
export const containersOf = ({ spec, path }: Pick<PodTemplateUse, "spec" | "path">) =>
  containersOfPod<ContainerShape>(spec, [...path, "spec"]);

/**
 * Returns the accelerators of one replica of a LeaderWorkerSet, Deployment or StatefulSet; 0 without one. Claims of
 * unknown size count as 1.
 */
export function gpusOfReplica(manifest: Manifest | undefined): number {
  if (manifest === undefined) return 0;
  const kind = manifest.kind === "LeaderWorkerSet" ? lwsKind : `apps/${manifest.kind}`;
  const { pods } = workloadOf({ index: 0, kind, manifest }) ?? { pods: [] };
  return pods.reduce((sum, each) => sum + each.inReplica * (acceleratorsOfPods(each) ?? 1), 0);
}
