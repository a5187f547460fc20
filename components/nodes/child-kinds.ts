import {
  admissionregistration,
  apiextensions,
  apps,
  autoscaling,
  core,
  networking,
  policy,
  rbac,
} from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { groupsReady } from "../../kubernetes/kinds/leader-worker-set.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { gatewayKindNames, gatewayKinds } from "../../sdk/gateways/index.ts";
import type { PlannedKind } from "../../sdk/topology/planned-kinds.ts";
import { Gateway } from "../kubernetes/gateway.ts";
import { HTTPRoute } from "../kubernetes/http-route.ts";
import { InferencePool } from "../kubernetes/inference-pool.ts";
import { LeaderWorkerSet } from "../kubernetes/leader-worker-set.ts";
import { PodGroup } from "../kubernetes/pod-group.ts";
import { providerAnnotation, type Readiness } from "../readiness.ts";

/** Kind of the resources that components create. */
export type ChildKindName = Exclude<PlannedKind, "Queue" | "InferencePoolImport">;

/** How components create the resources of a kind. */
export interface ChildKind {
  readonly class: new (
    name: string,
    args: never,
    opts?: pulumi.CustomResourceOptions,
  ) => pulumi.CustomResource;
  /** Whether the class itself handles the replacement of its kind, as the classes of this package do. */
  readonly isTyped: boolean;
  /** Kinds whose objects are created before objects of this kind, and deleted after them. */
  readonly after: readonly ChildKindName[];
  /** Returns the annotations that make the provider wait for an object or skip waiting. */
  readonly awaited: (
    readiness: Readiness,
    name: string,
  ) => Readonly<Record<string, string>> | undefined;
}

const never = () => undefined;
const skipped = { [providerAnnotation.skipAwait]: "true" };
const waitingFor = (condition: string) => ({ [providerAnnotation.waitFor]: condition });

const own = { isTyped: true, after: [], awaited: never } as const;
const builtIn = { isTyped: false, after: [], awaited: never } as const;
const custom = { ...builtIn, class: apiextensions.CustomResource } as const;

const ofGateways = Object.fromEntries(
  gatewayKindNames.map((kind) => [kind, { ...custom, after: gatewayKinds[kind].after }]),
) as {
  readonly [K in keyof typeof gatewayKinds]: Omit<typeof custom, "after"> &
    Pick<(typeof gatewayKinds)[K], "after">;
};

/** Every kind of child. A planned kind that is missing here fails to compile. */
export const childKinds = {
  PodGroup: { ...own, class: PodGroup },
  LeaderWorkerSet: {
    ...own,
    class: LeaderWorkerSet,
    // They do not wait for each other: members of a gang start together or not at all, so waiting for one before
    // creating the next would never end.
    after: ["PodGroup", "RoleBinding"],
    awaited({ wait, minimums }, name) {
      const minimum = minimums.get(name);
      const isAwaited = wait === "replicas" && minimum !== undefined;
      return isAwaited ? waitingFor(groupsReady(minimum)) : undefined;
    },
  },
  Namespace: { ...builtIn, class: core.v1.Namespace },
  ServiceAccount: { ...builtIn, class: core.v1.ServiceAccount },
  Role: { ...builtIn, class: rbac.v1.Role },
  RoleBinding: { ...builtIn, class: rbac.v1.RoleBinding, after: ["ServiceAccount", "Role"] },
  ClusterRole: { ...builtIn, class: rbac.v1.ClusterRole },
  ClusterRoleBinding: {
    ...builtIn,
    class: rbac.v1.ClusterRoleBinding,
    after: ["ServiceAccount", "ClusterRole"],
  },
  ConfigMap: { ...builtIn, class: core.v1.ConfigMap },
  // A token is created only for an existing account.
  Secret: { ...builtIn, class: core.v1.Secret, after: ["ServiceAccount"] },
  NetworkPolicy: { ...builtIn, class: networking.v1.NetworkPolicy },
  Deployment: {
    ...builtIn,
    class: apps.v1.Deployment,
    after: ["ConfigMap", "RoleBinding", "ClusterRoleBinding"],
    awaited: ({ wait }) => (wait === "replicas" ? undefined : skipped),
  },
  ScaledObject: { ...custom, after: ["LeaderWorkerSet", "Service"] },
  HorizontalPodAutoscaler: {
    ...builtIn,
    class: autoscaling.v2.HorizontalPodAutoscaler,
    after: ["LeaderWorkerSet"],
  },
  PodDisruptionBudget: { ...builtIn, class: policy.v1.PodDisruptionBudget },
  // A Service has endpoints once its picker is ready, and the picker is ready once its pool exists. The pool is created
  // later.
  Service: { ...builtIn, class: core.v1.Service, awaited: () => skipped },
  MutatingWebhookConfiguration: {
    ...builtIn,
    class: admissionregistration.v1.MutatingWebhookConfiguration,
    // The pods to which it applies would wait for it.
    after: ["Service", "Deployment"],
  },
  ValidatingAdmissionPolicy: {
    ...builtIn,
    class: admissionregistration.v1.ValidatingAdmissionPolicy,
  },
  ValidatingAdmissionPolicyBinding: {
    ...builtIn,
    class: admissionregistration.v1.ValidatingAdmissionPolicyBinding,
  },
  PrometheusRule: custom,
  ServiceMonitor: { ...custom, after: ["Service"] },
  PodMonitor: custom,
  InferencePool: { ...own, class: InferencePool, after: ["Service"] },
  Gateway: { ...own, class: Gateway },
  HTTPRoute: {
    ...own,
    class: HTTPRoute,
    after: ["Namespace", "InferencePool", "Gateway", "ReferenceGrant", ...gatewayKindNames],
    awaited: ({ wait }) =>
      wait === "replicas" ? waitingFor(kinds.HTTPRoute.readiness.waitFor) : undefined,
  },
  ReferenceGrant: { ...custom, after: ["Namespace"] },
  BackendTLSPolicy: { ...custom, after: ["Namespace"] },
  Certificate: { ...custom, after: ["Namespace"] },
  ...ofGateways,
  LLMServerPool: { ...custom, after: ["InferencePool"] },
  LLMService: { ...custom, after: ["InferencePool"] },
  InferenceModelRewrite: { ...custom, after: ["InferencePool"] },
  InferenceObjective: custom,
  InferenceService: {
    ...custom,
    // The status of an InferenceService depends on these objects.
    after: [
      "LeaderWorkerSet",
      "Deployment",
      "InferencePool",
      "HTTPRoute",
      "LLMService",
      "InferenceModelRewrite",
    ],
    awaited: ({ wait }) =>
      wait === "available" ? waitingFor(kinds.InferenceService.readiness.waitFor) : undefined,
  },
} as const satisfies Record<ChildKindName, ChildKind>;

type Classes = { readonly [K in ChildKindName]: (typeof childKinds)[K]["class"] };

/** Resource class of a kind. */
export type ResourceOf<K extends ChildKindName> = InstanceType<Classes[K]>;

/** Arguments of a kind's resource. For kinds without a dedicated class, the manifest. */
export type ArgsOf<K extends ChildKindName> = typeof apiextensions.CustomResource extends Classes[K]
  ? Manifest
  : NonNullable<ConstructorParameters<Classes[K]>[1]>;
