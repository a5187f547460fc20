import { present } from "../kubernetes/present.ts";
import type { InferenceServiceSpec } from "../spec/inference-service.ts";
import type { Container, PodSpec, PodTemplate, RouterRole } from "../spec/role.ts";
import { declaredServingPort, engineIndexOf } from "../topology/engine-container.ts";
import {
  annotation,
  label,
  lwsLabel,
  roleId,
  servingGroupName,
  taskName,
} from "../topology/names.ts";
import { rendezvousOf } from "../topology/rendezvous.ts";
import type { RoleLayout } from "../topology/role-layout.ts";
import { schedulerOf } from "../topology/scheduling.ts";
import { servingPortOfRole } from "../topology/serving-port.ts";
import { withCanonicalQuantities } from "./canonical-quantities.ts";
import { mpLeader, mpWorker } from "./mp-bootstrap.ts";
import { type PlannedPlugins, pluggedTemplate } from "./pod-plugins.ts";
import { rayLeader, rayWorker } from "./ray-bootstrap.ts";

/** What the pods of one role have in common, replica by replica. */
export interface PodTemplates {
  /** Set where a replica has workers. */
  readonly leader?: PodTemplate;
  readonly worker: PodTemplate;
}

export interface PodPlacement {
  readonly service: string;
  readonly layout: RoleLayout;
  readonly strategy: InferenceServiceSpec["schedulingStrategy"];
  readonly router?: RouterRole | undefined;
  readonly plugins?: PlannedPlugins | undefined;
}

/** The templates of the pods of one replica, or of all replicas of a role, as its plugins leave them. */
export function rolePods(placement: PodPlacement, replicaIndex?: number): PodTemplates {
  const { leader, worker } = rolePodSpecs(placement);
  const template = (spec: PodSpec, isEntry: boolean) =>
    plugged(placement, replicaIndex, isEntry, {
      metadata: podMetadata(placement, replicaIndex),
      spec,
    });
  return {
    ...(leader === undefined ? {} : { leader: template(leader, true) }),
    worker: template(worker, leader === undefined),
  };
}

function plugged(
  { service, layout, plugins }: PodPlacement,
  replicaIndex: number | undefined,
  isEntry: boolean,
  template: PodTemplate,
): PodTemplate {
  if (plugins === undefined) return template;
  const roleName = layout.role.name;
  const isKnown = replicaIndex !== undefined;
  const identity = {
    servingGroup: isKnown ? servingGroupName(service, replicaIndex) : undefined,
    roleName,
    roleID: isKnown ? roleId(roleName, replicaIndex) : undefined,
    isEntry,
  };
  return pluggedTemplate(plugins, identity, template);
}

/**
 * The pod specs of a role. They are the same for all of its replicas; only metadata tells replicas apart.
 * A single pod runs the template as written; the pods of a multi-node replica are formed into one engine.
 */
export function rolePodSpecs(placement: PodPlacement): { leader?: PodSpec; worker: PodSpec } {
  const { layout, strategy, router } = placement;
  const { role, size, inGang } = layout;
  const spec = placed(withCanonicalQuantities(role.template.spec), placement);
  if (size === 1) {
    return { worker: scheduled(spec, strategy, inGang) };
  }
  const port = servingPortOfRole(role, router);
  return {
    leader: scheduled(
      withEngine(spec, (engine) => leaderEngine(engine, layout, port)),
      strategy,
      inGang,
    ),
    worker: scheduled(
      withEngine(spec, (engine) => workerEngine(engine, layout, port)),
      strategy,
      inGang,
    ),
  };
}

/** Labels and annotations of the pods of one replica, or of all replicas of a role: the template's, then ours. */
export function podMetadata(
  placement: PodPlacement,
  replicaIndex?: number,
): PodTemplate["metadata"] {
  const { service, layout, strategy } = placement;
  const { role, inGang } = layout;
  const { labels, annotations, ...rest } = role.template.metadata ?? {};
  const ours = present({
    [annotation.groupName]: inGang ? service : undefined,
    [annotation.taskSpec]:
      inGang && replicaIndex !== undefined ? taskName(role.name, replicaIndex) : undefined,
    [annotation.queueName]: inGang ? undefined : strategy.queue,
  });
  const joined = { ...annotations, ...ours };
  return {
    ...rest,
    labels: { ...labels, ...roleLabels(service, layout, replicaIndex) },
    ...(Object.keys(joined).length > 0 ? { annotations: joined } : {}),
  };
}

/** Labels of a role's objects and pods (InferenceService design, "Labels injected by Controller"). */
export function roleLabels(
  service: string,
  { role }: RoleLayout,
  replicaIndex?: number,
): Record<string, string> {
  return {
    [label.service]: service,
    [label.componentType]: role.componentType,
    [label.roleName]: role.name,
    ...(replicaIndex === undefined ? {} : { [label.replicaIndex]: String(replicaIndex) }),
  };
}

function scheduled(
  spec: PodSpec,
  strategy: InferenceServiceSpec["schedulingStrategy"],
  inGang: boolean,
): PodSpec {
  const ours = present({
    schedulerName: schedulerOf(strategy, inGang),
    priorityClassName: strategy.priorityClassName,
  });
  return { ...ours, ...spec, ...ours };
}

/** The pod spec with each replica's pods kept on different nodes where the role asks for it. */
function placed(spec: PodSpec, { service, layout }: PodPlacement): PodSpec {
  if (layout.role.multinode?.distinctNodes !== true || layout.size === 1) return spec;
  const affinity = (spec.affinity ?? {}) as { podAntiAffinity?: Record<string, unknown> };
  const anti = affinity.podAntiAffinity ?? {};
  const required = (anti.requiredDuringSchedulingIgnoredDuringExecution ?? []) as unknown[];
  return {
    ...spec,
    affinity: {
      ...affinity,
      podAntiAffinity: {
        ...anti,
        requiredDuringSchedulingIgnoredDuringExecution: [
          ...required,
          {
            labelSelector: {
              matchLabels: { [label.service]: service, [label.roleName]: layout.role.name },
            },
            matchLabelKeys: [lwsLabel.groupKey],
            topologyKey: "kubernetes.io/hostname",
          },
        ],
      },
    },
  };
}

function withEngine(spec: PodSpec, change: (engine: Container) => Container): PodSpec {
  const engine = engineIndexOf(spec);
  return {
    ...spec,
    containers: spec.containers.map((container, at) =>
      at === engine ? change(container) : container,
    ),
  };
}

/** The leader serves: it starts the group, declares where its pods meet and is ready when the model answers. */
function leaderEngine(engine: Container, { role, size }: RoleLayout, port?: number): Container {
  const rendezvous = rendezvousOf(role);
  const started = startLeader(engine, role.multinode?.executor, size);
  return {
    ...started,
    ...(rendezvous === undefined
      ? {}
      : {
          ports: [
            ...(engine.ports ?? []),
            { name: rendezvous.name, containerPort: rendezvous.port, protocol: "TCP" as const },
          ],
        }),
    ...(port === undefined || engine.readinessProbe !== undefined
      ? {}
      : { readinessProbe: readiness(role.multinode?.executor, port) }),
  };
}

function startLeader(engine: Container, executor: string | undefined, size: number): Container {
  if (executor === "ray") return rayLeader(engine);
  if (executor === "mp") return mpLeader(engine, size);
  return engine;
}

/** vLLM answers on /health once the model is loaded; of another engine only the port is known. */
function readiness(executor: string | undefined, port: number) {
  return {
    ...(executor === "custom" ? { tcpSocket: { port } } : { httpGet: { path: "/health", port } }),
    periodSeconds: 10,
    timeoutSeconds: 5,
    failureThreshold: 6,
  };
}

/**
 * A worker serves nothing: it has no serving port and no probe on the network, which could never succeed and
 * would restart the whole group.
 */
function workerEngine(engine: Container, { role, size }: RoleLayout, port?: number): Container {
  const { ports, ...started } = withoutNetworkProbes(
    startWorker(engine, role.multinode?.executor, size),
  );
  const serving = declaredServingPort(ports ?? [])?.containerPort ?? port;
  const kept = (ports ?? []).filter(
    ({ containerPort }) => containerPort !== serving && containerPort !== port,
  );
  return { ...started, ...(kept.length > 0 ? { ports: kept } : {}) };
}

function startWorker(engine: Container, executor: string | undefined, size: number): Container {
  if (executor === "ray") return rayWorker(engine);
  if (executor === "mp") return mpWorker(engine, size);
  return engine;
}

const probes = ["startupProbe", "readinessProbe", "livenessProbe"] as const;

function withoutNetworkProbes(engine: Container): Container {
  const kept = { ...engine };
  for (const probe of probes) {
    const exec = (kept[probe] as { exec?: unknown } | undefined)?.exec;
    if (exec === undefined) delete kept[probe];
  }
  return kept;
}
