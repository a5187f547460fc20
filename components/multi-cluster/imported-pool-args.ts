import type * as pulumi from "@pulumi/pulumi";
import type { Metadata } from "../inference-service-args.ts";
import type { HTTPRouteMatch, ParentReference } from "../kubernetes/http-route.ts";
import type { HTTPRouteFilter } from "../kubernetes/http-route-filter.ts";
import type { NetworkPolicy } from "../network-policy-args.ts";
import type { ProgramPods } from "../program-pods-args.ts";
import type { GatewayType, ImportPreference, ImportSelection } from "../vocabulary.ts";

/** The arguments of an ImportedInferencePool. Name and namespace are those of the pool in the exporting cluster. */
export interface ImportedInferencePoolArgs {
  /** Name and namespace of the pool. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** Whether the namespace is made here; imports come only where it exists. Default false. */
  createNamespace?: boolean;
  /** Gateway that the route is for. */
  gateway?: ImportingGateway;
  /** Share of the requests that go to the import. Default 1. */
  weight?: number;
  /** Share that stays: the InferencePool of the same name in this cluster. Default: there is none. */
  local?: LocalPool;
  /** Gateways of the exporting clusters, for gateways of type `agentgateway`, `istio` and `ngf`. */
  parents?: ImportedParent[];
  /** A picker for the import, which asks those of the exporting clusters. Default: none. */
  picker?: ImportPicker;
  /** Who may open connections to the picker. Default: those who have to; see NetworkPolicy. */
  networkPolicy?: NetworkPolicy;
  /** Settings of llm-d's picker, for a gateway of type `llm-d-global-epp`. */
  globalPicker?: GlobalPicker;
  /** Namespace of the route. Default: that of the pool; another one gets a ReferenceGrant. */
  routeNamespace?: string;
  /** Gateways to attach to: `name`, and `namespace`, `sectionName`, `port` where needed. */
  parentRefs: ParentReference[];
  /** Host names. Default: those of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: HTTPRouteMatch[];
  /** HTTPRoute filters. */
  filters?: HTTPRouteFilter[];
  /** Verifies the other side, where the gateway takes a BackendTLSPolicy for an import. */
  tls?: ImportTls;
}

/** A picker that chooses a cluster for every request, and asks the picker there for the pod. */
export interface ImportPicker extends ProgramPods {
  /** How a cluster is chosen. Default `metric-based`. */
  selection?: ImportSelection;
  /** Whether this cluster comes first while it has endpoints. Default `PreferLocal`. */
  preference?: ImportPreference;
  /** Clusters of `active-passive`, the first first; others follow by name. */
  order?: string[];
  /** Name of this cluster among those of the set. */
  localCluster?: string;
  /** How the other pickers are verified. Default: by the certificate authorities of the system. */
  tls?: ImportPickerTls;
  /** No TLS, for networks that encrypt by themselves. Default false. */
  plaintext?: boolean;
  /** Whether the picker's pages ask for a token that may read them; needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
  /** Pods of the picker. Default 1. */
  replicas?: number;
  /** Seconds for which running answers may go on when a pod of the picker ends. Default 600. */
  drainSeconds?: number;
  /** Default: stack configuration `pulumi-inference:image`, else this project's image of this version. */
  image?: pulumi.Input<string>;
}

/** llm-d's picker as one among clusters, with this project's import-agent beside it. */
export interface GlobalPicker extends ProgramPods {
  /** Default: llm-d's, of the first release that picks among clusters. */
  image?: pulumi.Input<string>;
  /** Pods of the picker. Default 1. */
  replicas?: number;
}

/** How pickers of other clusters are verified, and what they are shown. */
export interface ImportPickerTls {
  /** ConfigMap with key `ca.crt`, in the pool's namespace. */
  caConfigMap?: string;
  /** Secret with tls.crt and tls.key that the other side is shown. */
  clientCertificateSecret?: string;
  /**
   * Name that their certificates are for, `{cluster}` in it for the cluster's name. Default: that of the picker's Service,
   * or its address.
   */
  hostname?: string;
  /** Whether their metrics, by which `metric-based` chooses, are read over TLS as well. Default false. */
  metrics?: boolean;
}

/** What a gateway can do with an import. */
export interface ImportingGateway {
  /** Default `generic`. */
  type?: GatewayType;
  /** Whether it can have an InferencePool and an InferencePoolImport in one rule. Default false. */
  acceptsImports?: boolean;
}

/** The pool of the same name in this cluster. */
export interface LocalPool {
  /** Default 1. */
  weight?: number;
}

/** A gateway of a cluster that exports the pool. */
export interface ImportedParent {
  /** Of the cluster; part of object names. */
  cluster: string;
  host: pulumi.Input<string>;
  port: number;
  /** Default 1. */
  weight?: number;
  /** Default: plain HTTP. */
  tls?: ParentTls;
}

/** How a gateway of another cluster is verified: by one CA. */
export interface ParentTls {
  /** ConfigMap with key `ca.crt`, in the pool's namespace: for `agentgateway` and `ngf`. */
  caConfigMap?: string;
  /** Secret with key `cacert`, in the gateway's namespace: for `istio`. */
  caSecret?: string;
  /** Name that the certificate is for. */
  hostname: string;
}

/** How the other side is verified. */
export interface ImportTls {
  /** ConfigMap with key `ca.crt`, in the pool's namespace. */
  caConfigMap: string;
  /** Name that the certificate is for. */
  hostname: string;
}
