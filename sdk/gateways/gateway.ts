import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import type { Manifest, ObjectMeta } from "../../kubernetes/values/manifest.ts";
import type { AccessSupport } from "./access-support.ts";
import type { GatewayKind } from "./gateway-kind.ts";

/** A kind of gateway, and its support for pools as its source or its documentation describes it. */
export interface Gateway {
  readonly title: string;
  /** Kinds that only this gateway has. Components, roles and `nodes` are generated from them. */
  readonly ownKinds: Readonly<Record<string, GatewayKind>>;
  /** Support for pools of the gateway's cluster; undefined if it only routes to pools of other clusters. */
  readonly pools: PoolSupport | undefined;
  /** Support for pools that other clusters export; undefined if it is unknown. */
  readonly imports: ImportSupport | undefined;
}

/** Support of a gateway for pools of its cluster. */
export interface PoolSupport {
  /** Names of its GatewayClasses, as its installation creates them. A trailing `*` matches any suffix. */
  readonly classes: readonly string[];
  /**
   * Location of its proxies: in the namespace of the Gateway, in any namespace of the cluster, or outside the cluster
   * with addresses that no pod has.
   */
  readonly proxies: "beside-gateway" | "in-cluster" | "outside";
  /**
   * Seconds after which its proxies stop waiting for the picker: Envoy's `message_timeout`. Infinity if they have no
   * timeout, or if none is documented.
   */
  readonly pickerTimeoutSeconds: number;
  /**
   * Whether one of its objects makes it connect to model servers by HTTPS. Undefined if that depends on its
   * installation.
   */
  readonly reachesTls: boolean | undefined;
  /** Returns the objects that it needs in addition to a pool. */
  objects(pool: GatewayPool): readonly Manifest[];
  /** Text about these objects, for docs/gateways.md. */
  readonly planned: string;
  /** Returns the objects that it needs for a picker that several pools share. Default: none. */
  readonly sharedPicker?: (picker: SharedPickerService) => readonly Manifest[];
  /** How it restricts the clients of a route; undefined if it has no policy that is known to name their tenants. */
  readonly access?: AccessSupport;
  /** How it calls a model router before it chooses a route; undefined if it has no object that configures this. */
  readonly modelRouter?: ModelRouterSupport;
  /**
   * Default seconds after which it cuts a response that is still being sent; planned routes then set
   * `timeouts.request: 0s`. Undefined if it has no such limit, or if no limit is known.
   */
  readonly answerLimitSeconds?: number;
  /** Whether it rejects routes that have `timeouts`. Default false. */
  readonly refusesTimeouts?: true;
  /**
   * Restriction on several InferencePools in one rule, as a clause after the gateway's name. Undefined for a gateway
   * that calls the picker of each pool, or if no restriction is reported.
   */
  readonly severalPools?: string;
  /** The documentation of these facts. */
  readonly source: string;
}

/** How a gateway calls a model router, which reads the body of each request before a route is chosen. */
export interface ModelRouterSupport {
  /** Whether it connects to the router by TLS, without verifying the certificate. If not, it uses plain HTTP/2. */
  readonly tls: boolean;
  /** The `appProtocol` of the Service's port that selects HTTP/2. */
  readonly appProtocol: string;
  /** Returns the objects that make the gateway call the router. */
  objects(router: AskedModelRouter): readonly Manifest[];
  /** Text about these objects, for docs/model-router.md. */
  readonly planned: string;
  /** The documentation of these facts. */
  readonly source: string;
}

/** The properties of a model router that objects of gateways need. Router and gateway are in one namespace. */
export interface AskedModelRouter {
  readonly gateway: string;
  readonly namespace: string;
  /** Name of the router's Service and of the objects. */
  readonly name: string;
  /** Port of its ext_proc service. */
  readonly port: number;
  /** Port of its health service. */
  readonly healthPort: number;
  readonly metadata: ObjectMeta;
}

/** The Service of a picker that several pools share. */
export interface SharedPickerService {
  readonly name: string;
  readonly namespace: string;
  /** One port for each pool. */
  readonly ports: readonly number[];
  readonly metadata: ObjectMeta;
}

/** The properties of a pool that objects of gateways need. */
export interface GatewayPool {
  readonly name: string;
  readonly namespace: string;
  /** Ports of the model servers. */
  readonly targetPorts: readonly number[];
  /** Whether the model servers serve HTTPS. */
  readonly isTls: boolean;
  /** The Service of the planned picker; undefined if the picker is not planned. */
  readonly picker: { readonly name: string; readonly port: number } | undefined;
  /** Returns the metadata of an object that is created for the pool. */
  metadata(name: string): ObjectMeta;
}

/** Support of a gateway for pools that other clusters export. It answers 500 for an unknown backend (Gateway API). */
export interface ImportSupport {
  /** Its support as a sentence, for the reference pages. */
  readonly summary: string;
  /** The import as a backend; undefined if the gateway refuses imports. */
  readonly backend: ImportBackend | undefined;
  /**
   * The position in a rule of the InferencePool of an import's picker, which has no pods: as the only backend, or next
   * to another pool. Undefined for a gateway that sends requests only to the pods of a pool, regardless of the
   * picker's response.
   */
  readonly picked: "alone" | "beside-pool" | undefined;
  /** Gateways of other clusters as backends; undefined if it has no kind for them. */
  readonly parents: ParentSupport | undefined;
  /**
   * Supported backends of routes, for docs/gateways.md: only the import, pool and import by weight, a picker for the
   * import, and gateways of other clusters.
   */
  readonly docs: Readonly<Record<"alone" | "besidePool" | "picker" | "parents", string>>;
  /** The reason for this support, with its source. */
  readonly source: string;
}

/** The kind that represents an exported pool among the backends of a route. */
export interface ImportBackend {
  readonly group: string;
  readonly kind: string;
  /** Whether the plan creates it, with a separate name. If not, a controller creates it with the pool's name. */
  readonly isPlanned: boolean;
  /** Whether it may be in one rule with an InferencePool. `if-accepted`: only if `acceptsImports` is set. */
  readonly besidePool: "never" | "if-accepted" | "always";
}

/** How a gateway reaches gateways of other clusters. */
export interface ParentSupport {
  /** Whether they may be in one rule with an InferencePool. */
  readonly besidePool: boolean;
  /** Kind of the object with the CA that verifies a parent's certificate. */
  readonly ca: "caConfigMap" | "caSecret";
  /** Whether `host` has to be a DNS name. */
  readonly needsHostName: boolean;
  /** Kinds of the objects that define parents as backends. */
  readonly kinds: ReadonlyArray<Pick<KindFacts, "group" | "plural" | "apiVersion" | "kind">>;
  /** Returns the backend for a parent. */
  backend(parent: Parent): ParentBackend;
}

/** The gateway of another cluster, as a backend of a route here. */
export interface Parent {
  /** Unique name of its objects. */
  readonly name: string;
  /** Namespace of the pool. */
  readonly namespace: string;
  readonly routeNamespace: string;
  readonly metadata: ObjectMeta;
  readonly host: string;
  readonly port: number;
  /** Undefined for plain HTTP. */
  readonly tls:
    | {
        readonly caConfigMap?: string | undefined;
        readonly caSecret?: string | undefined;
        readonly hostname: string;
      }
    | undefined;
}

/** The gateway of another cluster as a backend: its objects, and the reference to them. */
export interface ParentBackend {
  readonly objects: readonly Manifest[];
  readonly ref: BackendRef;
}

/** A reference to a backend, without its weight. */
export interface BackendRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
}
