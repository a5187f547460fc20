import { createHash } from "node:crypto";
import {
  type Container,
  type EnvVar,
  type LeaderWorkerSet,
  type Metadata,
  ownerReference,
  type Pod,
  type PodSpec,
  type PodTemplate,
} from "./objects.ts";

/** Names, labels, annotations and environment that the LeaderWorkerSet controller and its webhook give to pods. */

const prefix = "leaderworkerset.sigs.k8s.io";

export const lwsLabel = {
  name: `${prefix}/name`,
  groupIndex: `${prefix}/group-index`,
  workerIndex: `${prefix}/worker-index`,
  groupKey: `${prefix}/group-key`,
  revision: `${prefix}/template-revision-hash`,
} as const;

export interface PodManifest {
  apiVersion: "v1";
  kind: "Pod";
  metadata: Metadata;
  spec: PodSpec;
}

export const leaderName = (lws: string, group: number) => `${lws}-${group}`;
export const workerName = (leader: string, worker: number) => `${leader}-${worker}`;

/** Changes with everything that a running group would have to restart for, and with nothing else. */
export function revisionOf({ spec }: LeaderWorkerSet): string {
  const { leaderWorkerTemplate, networkConfig } = spec;
  return createHash("sha256")
    .update(JSON.stringify([leaderWorkerTemplate, networkConfig]))
    .digest("hex")
    .slice(0, 10);
}

export function leaderPod(lws: LeaderWorkerSet, group: number): PodManifest {
  const { leaderTemplate, workerTemplate } = lws.spec.leaderWorkerTemplate;
  return podOf(lws, leaderTemplate ?? workerTemplate, {
    name: leaderName(lws.metadata.name, group),
    group,
    worker: 0,
    owner: ownerReference(lws),
  });
}

export function workerPod(lws: LeaderWorkerSet, leader: Pod, worker: number): PodManifest {
  return podOf(lws, lws.spec.leaderWorkerTemplate.workerTemplate, {
    name: workerName(leader.metadata.name, worker),
    group: Number(leader.metadata.labels?.[lwsLabel.groupIndex]),
    worker,
    owner: ownerReference(leader),
  });
}

interface Location {
  name: string;
  group: number;
  worker: number;
  owner: ReturnType<typeof ownerReference>;
}

function podOf(
  lws: LeaderWorkerSet,
  { metadata, spec }: PodTemplate,
  { name, group, worker, owner }: Location,
): PodManifest {
  const namespace = lws.metadata.namespace ?? "default";
  const leader = leaderName(lws.metadata.name, group);
  const subdomain = subdomainOf(lws, group);
  const { size } = lws.spec.leaderWorkerTemplate;
  const env: EnvVar[] = [
    { name: "LWS_LEADER_ADDRESS", value: `${leader}.${subdomain}.${namespace}` },
    { name: "LWS_GROUP_SIZE", value: String(size) },
    { name: "LWS_WORKER_INDEX", value: String(worker) },
  ];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels: {
        ...metadata?.labels,
        [lwsLabel.name]: lws.metadata.name,
        [lwsLabel.groupIndex]: String(group),
        [lwsLabel.workerIndex]: String(worker),
        [lwsLabel.groupKey]: createHash("sha1").update(`${namespace}/${leader}`).digest("hex"),
        [lwsLabel.revision]: revisionOf(lws),
      },
      annotations: {
        ...metadata?.annotations,
        [`${prefix}/size`]: String(size),
        ...(worker > 0 && { [`${prefix}/leader-name`]: leader }),
        ...(lws.spec.networkConfig && {
          [`${prefix}/subdomainPolicy`]: lws.spec.networkConfig.subdomainPolicy,
        }),
      },
      ownerReferences: [owner],
    },
    spec: {
      ...spec,
      hostname: name,
      subdomain,
      containers: spec.containers.map((container) => withEnv(container, env)),
      ...(spec.initContainers && {
        initContainers: spec.initContainers.map((container) => withEnv(container, env)),
      }),
    },
  };
}

/** Name of the headless Service that resolves the group's host names. */
export function subdomainOf(lws: LeaderWorkerSet, group: number): string {
  const isPerReplica = lws.spec.networkConfig?.subdomainPolicy === "UniquePerReplica";
  return isPerReplica ? leaderName(lws.metadata.name, group) : lws.metadata.name;
}

/** The controller's variables stand first, so that later ones may refer to them; the user's of that name go. */
function withEnv(container: Container, env: readonly EnvVar[]): Container {
  const names = new Set(env.map(({ name }) => name));
  return {
    ...container,
    env: [...env, ...(container.env ?? []).filter(({ name }) => !names.has(name))],
  };
}
