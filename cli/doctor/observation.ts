import type { KindAddress } from "../../kubernetes/kinds/kind.ts";

/**
 * The data that doctor reads from a cluster: only fields that a finding depends on. The types are subsets of the
 * upstream types, with optional fields for everything that a broken cluster may lack.
 */
/** The result of one read. */
export type Seen<T> =
  | { readonly state: "seen"; readonly value: T }
  | { readonly state: "absent" }
  /** It may be there: the answer was a refusal. */
  | { readonly state: "forbidden"; readonly why: string };

/** Returns the objects of a list; empty if it was not read. */
export const seenOf = <T>(seen: Seen<readonly T[]>): readonly T[] =>
  seen.state === "seen" ? seen.value : [];

export interface ClusterObservation {
  /** Namespace of the services. */
  readonly namespace: string;
  readonly crds: Readonly<Record<string, Seen<Crd>>>;
  readonly lwsManagers: Seen<readonly Deployment[]>;
  /** Configuration file of the LeaderWorkerSet manager; absent if it runs without one. */
  readonly lwsConfig: Seen<string>;
  readonly volcanoSchedulers: Seen<readonly Deployment[]>;
  readonly volcanoControllers: Seen<readonly Deployment[]>;
  /** Configuration file of Volcano's scheduler. */
  readonly volcanoConfig: Seen<string>;
  readonly defaultQueue: Seen<Queue>;
  readonly mutatingWebhooks: Seen<readonly WebhookConfiguration[]>;
  readonly validatingWebhooks: Seen<readonly WebhookConfiguration[]>;
  /** Ready endpoints of the Services behind the needed webhooks, by `namespace/name`. */
  readonly readyEndpoints: Readonly<Record<string, Seen<number>>>;
  /** LeaderWorkerSets in the namespace of the services. */
  readonly leaderWorkerSets: Seen<readonly LeaderWorkerSet[]>;
  readonly kthenaManagers: Seen<readonly Deployment[]>;
  readonly kedaOperators: Seen<readonly Deployment[]>;
  /** CustomResourceDefinitions of this project's kinds, by name. */
  readonly ownCrds: Readonly<Record<string, Seen<Crd>>>;
  readonly gatewayClasses: Seen<readonly GatewayClass[]>;
  readonly nodes: Seen<readonly Node[]>;
  /** Node pools of Karpenter. */
  readonly nodePools: Seen<readonly object[]>;
  /** Pods in the namespace of the services. */
  readonly pods: Seen<readonly Pod[]>;
  /** PersistentVolumeClaims in the namespace of the services. */
  readonly claims: Seen<readonly Claim[]>;
  readonly storageClasses: Seen<readonly StorageClass[]>;
  /**
   * Objects for stack rules: those in the namespace of the services, plus programs of this project and ReferenceGrants
   * in every namespace.
   */
  readonly ruled: Readonly<
    Record<
      | "services"
      | "pools"
      | "deployments"
      | "serverPools"
      | "inferenceServices"
      | "routes"
      | "programs"
      | "grants",
      Seen<readonly ClusterObject[]>
    >
  >;
  /** InferencePoolImports in the namespace of the services. */
  readonly imports: Seen<readonly ClusterObject[]>;
  /** Whether the caller may create a resource in the namespace, by resource. */
  readonly mayCreate: Readonly<Record<string, Seen<boolean>>>;
}

/** An object as the API server returns it. */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface GatewayClass {
  readonly metadata: Metadata;
  readonly status?: {
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}

/** A node; `clusterNode` reads the fields that decide which pods it accepts. */
export interface Node {
  readonly metadata: Metadata;
  readonly status?: { readonly allocatable?: Readonly<Record<string, string>> };
}

interface ContainerStatus {
  readonly image?: string;
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}

export interface Pod {
  readonly metadata: Metadata;
  readonly status?: {
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface Claim {
  readonly metadata: Metadata;
  readonly spec?: { readonly storageClassName?: string };
  readonly status?: { readonly phase?: string };
}

export interface StorageClass {
  readonly metadata: Metadata & { readonly annotations?: Readonly<Record<string, string>> };
}

export interface Crd {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly versions: ReadonlyArray<{
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: SchemaNode };
    }>;
  };
  readonly status?: {
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}

export interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly enum?: readonly unknown[];
}

export interface Deployment {
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly containers: ReadonlyArray<{
          readonly name: string;
          readonly image?: string;
          readonly args?: readonly string[];
          readonly command?: readonly string[];
        }>;
        readonly volumes?: ReadonlyArray<{
          readonly name: string;
          readonly configMap?: { readonly name?: string };
        }>;
      };
    };
  };
  readonly status?: { readonly availableReplicas?: number };
}

export interface LeaderWorkerSet {
  readonly metadata: Metadata;
  readonly spec: {
    readonly leaderWorkerTemplate: {
      readonly leaderTemplate?: PodTemplate;
      readonly workerTemplate: PodTemplate;
    };
  };
}

interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly object[];
    readonly initContainers?: readonly object[];
  };
}

export interface Queue {
  readonly status?: { readonly state?: string };
}

export interface WebhookConfiguration {
  readonly metadata: Metadata;
  readonly webhooks?: readonly Webhook[];
}

export interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly service?: { readonly name: string; readonly namespace: string };
  };
  readonly rules?: ReadonlyArray<{
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
  }>;
}

/** Returns the webhooks of some configurations that are called for a resource. */
export function webhooksFor(
  configurations: readonly WebhookConfiguration[],
  { group, plural }: Pick<KindAddress, "group" | "plural">,
): Webhook[] {
  return configurations
    .flatMap(({ webhooks = [] }) => webhooks)
    .filter(({ rules = [] }) =>
      rules.some(
        ({ apiGroups = [], resources = [] }) =>
          apiGroups.includes(group) && resources.includes(plural),
      ),
    );
}
