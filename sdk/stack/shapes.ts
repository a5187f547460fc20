import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { readablePoolSpec } from "../../kubernetes/kinds/inference-pool.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { groupOf } from "../../kubernetes/values/manifest.ts";

/**
 * The shape of the fields that rules read, in objects of any author. The API server validates all other fields. Numbers
 * and strings are distinguished as the API server distinguishes them, so that rules can rely on the type.
 */

const texts = z.record(z.string(), z.string());
const amounts = z.record(z.string(), z.union([z.string(), z.number()]));
const portNumber = z.int().min(0).max(65_535);

const probe = z.looseObject({
  httpGet: z.looseObject({ port: z.union([z.string(), portNumber]).optional() }).optional(),
  tcpSocket: z.looseObject({ port: z.union([z.string(), portNumber]).optional() }).optional(),
  exec: z.looseObject({}).optional(),
  initialDelaySeconds: z.int().optional(),
  periodSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
});

const container = z.looseObject({
  name: z.string(),
  image: z.string().optional(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).optional(),
  ports: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        containerPort: portNumber,
        hostPort: portNumber.optional(),
        protocol: z.enum(["TCP", "UDP", "SCTP"]).optional(),
      }),
    )
    .optional(),
  resources: z
    .looseObject({
      limits: amounts.optional(),
      requests: amounts.optional(),
      claims: z.array(z.looseObject({ name: z.string() })).optional(),
    })
    .optional(),
  volumeMounts: z
    .array(
      z.looseObject({
        name: z.string(),
        mountPath: z.string(),
        readOnly: z.boolean().optional(),
      }),
    )
    .optional(),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  restartPolicy: z.string().optional(),
  securityContext: z
    .looseObject({
      runAsNonRoot: z.boolean().optional(),
      runAsUser: z.int().optional(),
      privileged: z.boolean().optional(),
      allowPrivilegeEscalation: z.boolean().optional(),
      capabilities: z
        .looseObject({
          add: z.array(z.string()).optional(),
          drop: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
});

const podSpec = z.looseObject({
  containers: z.array(container),
  initContainers: z.array(container).optional(),
  volumes: z
    .array(
      z.looseObject({
        name: z.string(),
        emptyDir: z
          .looseObject({
            medium: z.string().optional(),
            sizeLimit: z.union([z.string(), z.number()]).optional(),
          })
          .optional(),
        persistentVolumeClaim: z.looseObject({ claimName: z.string() }).optional(),
      }),
    )
    .optional(),
  schedulerName: z.string().optional(),
  priorityClassName: z.string().optional(),
  restartPolicy: z.string().optional(),
  hostNetwork: z.boolean().optional(),
  dnsPolicy: z.string().optional(),
  nodeName: z.string().optional(),
  hostIPC: z.boolean().optional(),
  hostPID: z.boolean().optional(),
  hostUsers: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  terminationGracePeriodSeconds: z.int().optional(),
  nodeSelector: texts.optional(),
  tolerations: z.array(z.looseObject({})).optional(),
  resourceClaims: z.array(z.looseObject({ name: z.string() })).optional(),
  securityContext: z
    .looseObject({ runAsNonRoot: z.boolean().optional(), runAsUser: z.int().optional() })
    .optional(),
});

const metadata = z.looseObject({ labels: texts.optional(), annotations: texts.optional() });

export const podTemplate = z.looseObject({ metadata: metadata.optional(), spec: podSpec });

const replicated = z.looseObject({ replicas: z.int().min(0).optional(), template: podTemplate });
const jobSpec = z.looseObject({ parallelism: z.int().min(0).optional(), template: podTemplate });
const intOrPercent = z.union([z.int(), z.string()]);

const leaderWorkerSetSpec = z.looseObject({
  replicas: z.int().min(0).optional(),
  startupPolicy: z.string().optional(),
  rolloutStrategy: z
    .looseObject({
      rollingUpdateConfiguration: z
        .looseObject({ maxUnavailable: intOrPercent.optional(), maxSurge: intOrPercent.optional() })
        .optional(),
    })
    .optional(),
  leaderWorkerTemplate: z.looseObject({
    size: positiveInteger.optional(),
    leaderTemplate: podTemplate.optional(),
    workerTemplate: podTemplate,
    restartPolicy: z.string().optional(),
    subGroupPolicy: z
      .looseObject({
        subGroupSize: z.int().optional(),
        subGroupPolicyType: z.string().optional(),
      })
      .optional(),
  }),
});

const networkTopology = z.looseObject({
  mode: z.string().optional(),
  highestTierAllowed: z.int().optional(),
  highestTierName: z.string().optional(),
});

const podGroupSpec = z.looseObject({
  minMember: z.int().min(0).optional(),
  minTaskMember: z.record(z.string(), z.int()).optional(),
  minResources: amounts.optional(),
  queue: z.string().optional(),
  priorityClassName: z.string().optional(),
  networkTopology: networkTopology.optional(),
  subGroupPolicy: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        labelSelector: z.looseObject({ matchLabels: texts.optional() }).optional(),
        matchLabelKeys: z.array(z.string()).optional(),
        subGroupSize: positiveInteger.optional(),
        minSubGroups: z.int().min(0).optional(),
        networkTopology: networkTopology.optional(),
      }),
    )
    .optional(),
});

const queueSpec = z.looseObject({
  capability: amounts.optional(),
  deserved: amounts.optional(),
});

const autoscalerSpec = z.looseObject({
  scaleTargetRef: z.looseObject({
    kind: z.string().optional(),
    name: z.string(),
    apiVersion: z.string().optional(),
  }),
  /** Metrics of a HorizontalPodAutoscaler. */
  metrics: z
    .array(
      z.looseObject({
        type: z.string().optional(),
        resource: z.looseObject({ name: z.string() }).optional(),
        containerResource: z.looseObject({ name: z.string() }).optional(),
      }),
    )
    .optional(),
  /** Minimum of a HorizontalPodAutoscaler. */
  minReplicas: z.int().min(0).optional(),
  /** Minimum of a KEDA ScaledObject. */
  minReplicaCount: z.int().min(0).optional(),
  /** Replicas of a KEDA ScaledObject while no trigger is active. */
  idleReplicaCount: z.int().min(0).optional(),
  /** Replicas of a KEDA ScaledObject while its triggers cannot be read. */
  fallback: z.unknown().optional(),
  /** Triggers of a KEDA ScaledObject. */
  triggers: z.array(z.looseObject({ metadata: z.looseObject({}).optional() })).optional(),
});

const disruptionBudgetSpec = z.looseObject({
  selector: z.looseObject({ matchLabels: texts.optional() }).optional(),
  maxUnavailable: intOrPercent.optional(),
  minAvailable: intOrPercent.optional(),
});

const quotaSpec = z.looseObject({ hard: amounts.optional() });

const backendRef = z.looseObject({
  group: z.string().optional(),
  kind: z.string().optional(),
  name: z.string(),
  namespace: z.string().optional(),
  weight: z.int().min(0).optional(),
});

const routeSpec = z.looseObject({
  hostnames: z.array(z.string()).optional(),
  parentRefs: z
    .array(z.looseObject({ name: z.string(), namespace: z.string().optional() }))
    .optional(),
  rules: z
    .array(
      z.looseObject({
        matches: z
          .array(
            z.looseObject({
              headers: z.array(z.looseObject({ name: z.string() })).optional(),
              path: z
                .looseObject({ type: z.string().optional(), value: z.string().optional() })
                .optional(),
            }),
          )
          .optional(),
        filters: z
          .array(
            z.looseObject({
              urlRewrite: z
                .looseObject({
                  hostname: z.string().optional(),
                  path: z.looseObject({}).optional(),
                })
                .optional(),
            }),
          )
          .optional(),
        backendRefs: z.array(backendRef).optional(),
        timeouts: z.looseObject({}).optional(),
      }),
    )
    .optional(),
});

const claimSpec = z.looseObject({ accessModes: z.array(z.string()).optional() });

const serviceSpec = z.looseObject({
  type: z.string().optional(),
  clusterIP: z.string().optional(),
  loadBalancerSourceRanges: z.array(z.string()).optional(),
  selector: texts.optional(),
  ports: z.array(z.looseObject({ port: portNumber })).optional(),
});

const gatewaySpec = z.looseObject({
  gatewayClassName: z.string(),
  listeners: z.array(z.looseObject({ protocol: z.string().optional() })).optional(),
});

const grantSpec = z.looseObject({
  from: z.array(z.looseObject({ group: z.string(), kind: z.string(), namespace: z.string() })),
  to: z.array(z.looseObject({ group: z.string(), kind: z.string(), name: z.string().optional() })),
});

/** The readers of registrations validate the entries. */
const anything = z.array(z.unknown()).optional();
const serverPoolSpec = z.looseObject({ allowedNamespaces: anything });
const llmServiceSpec = z.looseObject({
  models: anything,
  LLMServices: anything,
  poolRef: anything,
});

/** An InferenceService as an object of a cluster. The validation of services checks its other fields. */
const serviceObjectSpec = z.looseObject({
  resilience: z.looseObject({ recycle: z.unknown().optional() }).optional(),
});

export type ServiceObjectShape = z.infer<typeof serviceObjectSpec>;
export type PodTemplateShape = z.infer<typeof podTemplate>;
export type PodShape = z.infer<typeof podSpec>;
export type ContainerShape = z.infer<typeof container>;
export type LeaderWorkerSetShape = z.infer<typeof leaderWorkerSetSpec>;
export type PodGroupShape = z.infer<typeof podGroupSpec>;
export type QueueShape = z.infer<typeof queueSpec>;
export type AutoscalerShape = z.infer<typeof autoscalerSpec>;
export type DisruptionBudgetShape = z.infer<typeof disruptionBudgetSpec>;
export type QuotaShape = z.infer<typeof quotaSpec>;
export type PoolShape = z.infer<typeof readablePoolSpec>;
export type ClaimShape = z.infer<typeof claimSpec>;
export type ServiceShape = z.infer<typeof serviceSpec>;
export type GatewayShape = z.infer<typeof gatewaySpec>;
export type GrantShape = z.infer<typeof grantSpec>;
export type BackendRefShape = z.infer<typeof backendRef>;
export type RouteShape = z.infer<typeof routeSpec>;

const cronJobSpec = z.looseObject({ jobTemplate: z.looseObject({ spec: jobSpec }) });

/** Schemas by `group/Kind`, for any version. Other groups have kinds named PodGroup and Queue too. */
const specs: Readonly<Record<string, z.ZodType>> = {
  "/PersistentVolumeClaim": claimSpec,
  "/Pod": podSpec,
  "/ReplicationController": replicated,
  "/ResourceQuota": quotaSpec,
  "/Service": serviceSpec,
  [`${groups.apps}/DaemonSet`]: replicated,
  [`${groups.apps}/Deployment`]: replicated,
  [`${groups.apps}/ReplicaSet`]: replicated,
  [`${groups.apps}/StatefulSet`]: replicated,
  [`${groups.autoscaling}/HorizontalPodAutoscaler`]: autoscalerSpec,
  [`${groups.batch}/CronJob`]: cronJobSpec,
  [`${groups.batch}/Job`]: jobSpec,
  [`${groups.fusioninfer}/InferenceService`]: serviceObjectSpec,
  [`${groups.gateway}/Gateway`]: gatewaySpec,
  [`${groups.gateway}/HTTPRoute`]: routeSpec,
  [`${groups.gateway}/ReferenceGrant`]: grantSpec,
  [`${groups.inference}/InferencePool`]: readablePoolSpec,
  [`${groups.llmInstanceGateway}/LLMServerPool`]: serverPoolSpec,
  [`${groups.llmInstanceGateway}/LLMService`]: llmServiceSpec,
  [`${groups.keda}/ScaledObject`]: autoscalerSpec,
  [`${groups.leaderWorkerSet}/LeaderWorkerSet`]: leaderWorkerSetSpec,
  [`${groups.policy}/PodDisruptionBudget`]: disruptionBudgetSpec,
  [`${groups.volcano}/PodGroup`]: podGroupSpec,
  [`${groups.volcano}/Queue`]: queueSpec,
};

/** Returns `apps/Deployment`, or `/Pod` for the core group. */
export const kindOf = ({ apiVersion, kind }: Pick<Manifest, "apiVersion" | "kind">): string =>
  `${groupOf(apiVersion)}/${kind}`;

/** Reports whether rules read objects of a kind. */
export const isRead = (kind: string): boolean => Object.hasOwn(specs, kind);

const named = { name: nonEmptyText, namespace: z.string().optional() };

/** Built once, because a schema compiles itself on first use. */
const shapes: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(specs).map(([kind, spec]) => [
    kind,
    z.looseObject({ metadata: z.looseObject({ ...metadata.shape, ...named }), spec }),
  ]),
);

const anyObject = z.looseObject({ metadata: z.looseObject(named) });

/** Returns the shape of a kind. A kind that no rule reads requires only a name. */
export const shapeOf = (kind: string): z.ZodType => shapes.get(kind) ?? anyObject;
