import { present } from "../../../kubernetes/values/present.ts";
import {
  declaredServingPort,
  engineIndexOf,
  engineOf,
  serverPortOf,
} from "../../engines/containers/engine-container.ts";
import { bootstrapOf, executorOf } from "../../engines/containers/executor.ts";
import { executors } from "../../engines/groups/index.ts";
import { argumentsOf } from "../../engines/index.ts";
import { annotation, label, lwsLabel, roleId, servingGroupName, taskName } from "../../names.ts";
import { probeFields } from "../../rules/helpers/leader-probes.ts";
import type { Container, PodSpec, PodTemplate } from "../../schemas/pod-template.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import type { RouterRole } from "../../spec/role.ts";
import type { RoleLayout } from "../../topology/role-layout.ts";
import { schedulerOf } from "../../topology/scheduling.ts";
import { servingPortOfRole } from "../../topology/serving-port.ts";
import { withCanonicalQuantities } from "../canonical-quantities.ts";
import { type DecodeSidecar, withDecodeSidecar } from "./decode-sidecar.ts";
import { withDrain, withWorkerDrain } from "./drain.ts";
import { type PlannedPlugins, templateWithPlugins } from "./pod-plugins.ts";
import { withLeaderProbe, withProbes } from "./probes.ts";

/** Pod templates of one replica, or shared by all replicas of a role. */
export interface PodTemplates {
  /** Set if a replica has workers. */
  readonly leader?: PodTemplate;
  readonly worker: PodTemplate;
}

/** Inputs for the objects of one role. */
export interface RoleContext {
  readonly service: string;
  readonly layout: RoleLayout;
  readonly strategy: InferenceServiceSpec["schedulingStrategy"];
  readonly router?: RouterRole | undefined;
  readonly plugins?: PlannedPlugins | undefined;
  /** Set if the pods that receive requests have a decode sidecar. */
  readonly sidecar?: DecodeSidecar | undefined;
}

/** Returns the pod templates of one replica, or of all replicas of a role if no index is given. */
export type ReplicaPods = (replicaIndex?: number) => PodTemplates;

/**
 * Returns the function that plans the pods of each replica of a role, after its plugins have run. The pod specs are
 * computed once for all replicas.
 */
export function rolePods(context: RoleContext): ReplicaPods {
  const { leader, worker } = rolePodSpecs(context);
  return (replicaIndex) => {
    const template = (spec: PodSpec, isEntry: boolean) =>
      withPlugins(context, replicaIndex, isEntry, {
        metadata: podMetadata(context, replicaIndex),
        spec,
      });
    return {
      ...(leader === undefined ? {} : { leader: template(leader, true) }),
      worker: template(worker, leader === undefined),
    };
  };
}

function withPlugins(
  { service, layout, plugins }: RoleContext,
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
  return templateWithPlugins(plugins, identity, template);
}

/**
 * Returns the pod specs of a role. They are the same for all of its replicas, which differ only in metadata. A single
 * pod runs the template as written, with missing probes added. The pods of a multi-node replica form one engine.
 */
export function rolePodSpecs(context: RoleContext): { leader?: PodSpec; worker: PodSpec } {
  const { layout, strategy, router } = context;
  const { role, size, inGang } = layout;
  const spec = withoutToken(
    withDistinctNodes(withCanonicalQuantities(role.template.spec), context),
  );
  const entry = (pod: PodSpec) =>
    context.sidecar === undefined ? pod : withDecodeSidecar(pod, context.sidecar);
  if (size === 1) {
    const probed = withEngine(spec, (engine) =>
      withProbes(engine, serverPortOf(engine, router?.targetPort ?? role.port)),
    );
    return { worker: scheduled(entry(withDrain(probed, role.drainSeconds)), strategy, inGang) };
  }
  const port = servingPortOfRole(role, router);
  const asked = serverPortOf(engineOf(spec), router?.targetPort ?? role.port) ?? port;
  const bootstrap = bootstrapOf(role);
  const leader = withDrain(
    withEngine(spec, (engine) => leaderEngine(engine, layout, asked)),
    bootstrap === undefined ? 0 : role.drainSeconds,
  );
  const workers = withEngine(spec, (engine) => workerEngine(engine, layout, port));
  const worker =
    bootstrap === undefined ? workers : withWorkerDrain(workers, leader, bootstrap.groupPort.port);
  return {
    leader: scheduled(entry(leader), strategy, inGang),
    worker: scheduled(worker, strategy, inGang),
  };
}

/**
 * Returns a pod without a token of the API server. Engines do not call it. A template that names a ServiceAccount or
 * sets the field keeps its token.
 */
const withoutToken = (pod: PodSpec): PodSpec =>
  ["serviceAccountName", "serviceAccount", "automountServiceAccountToken"].some((key) => key in pod)
    ? pod
    : { ...pod, automountServiceAccountToken: false };

/**
 * Returns labels and annotations of the pods of one replica, or of all replicas of a role. Values of the plan override
 * values of the template.
 */
export function podMetadata(context: RoleContext, replicaIndex?: number): PodTemplate["metadata"] {
  const { service, layout, strategy } = context;
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

/** Returns the labels of a role's objects and pods (InferenceService design, "Labels injected by Controller"). */
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

/** Returns the pod spec with an anti-affinity between the pods of a replica, if the role sets `distinctNodes`. */
function withDistinctNodes(spec: PodSpec, { service, layout }: RoleContext): PodSpec {
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

/** Returns the leader's engine. It forms the group, declares the group's port, and is ready when the engine serves. */
function leaderEngine(engine: Container, { role, size }: RoleLayout, port?: number): Container {
  const executor = executorOf(role);
  const serves = executor && executors[executor].engine;
  const bootstrap = bootstrapOf(role);
  if (bootstrap === undefined) return withLeaderProbe(engine, port, serves);
  const { groupPort } = bootstrap;
  const ports = [
    ...(engine.ports ?? []),
    { name: groupPort.name, containerPort: groupPort.port, protocol: "TCP" as const },
  ];
  return withLeaderProbe(
    { ...bootstrap.leader(engine, size, argumentsOf(engine)), ports },
    port,
    serves,
  );
}

/**
 * Returns a worker's engine, without the serving port and network probes. A worker serves no requests, so a network
 * probe would always fail and restart the whole group.
 */
function workerEngine(engine: Container, { role, size }: RoleLayout, port?: number): Container {
  const joined = bootstrapOf(role)?.worker(engine, size, argumentsOf(engine)) ?? engine;
  const { ports, ...started } = withoutNetworkProbes(joined);
  const serving = declaredServingPort(ports ?? [])?.containerPort ?? port;
  const kept = (ports ?? []).filter(
    ({ containerPort }) => containerPort !== serving && containerPort !== port,
  );
  return { ...started, ...(kept.length > 0 ? { ports: kept } : {}) };
}

function withoutNetworkProbes(engine: Container): Container {
  const kept = { ...engine };
  for (const probe of probeFields) {
    const exec = (kept[probe] as { exec?: unknown } | undefined)?.exec;
    if (exec === undefined) delete kept[probe];
  }
  return kept;
}
