import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import type { Manifest, ObjectMeta } from "../../kubernetes/values/manifest.ts";
import type { GatewayKind } from "./gateway-kind.ts";

/** A kind of gateway: what it can do with pools, as its source or its documentation says. */
export interface Gateway {
  readonly title: string;
  /** Kinds that it alone has, of which its objects are: components, roles and `nodes` follow. */
  readonly ownKinds: Readonly<Record<string, GatewayKind>>;
  /** How it serves pools of its own cluster; undefined for one that only routes to pools of others. */
  readonly pools: PoolSupport | undefined;
  /** How it routes to pools that other clusters export; undefined if that is not known. */
  readonly imports: ImportSupport | undefined;
}

/** How a gateway serves pools of its own cluster. */
export interface PoolSupport {
  /** Names of its GatewayClasses, as its installation makes them; one that ends with `*` is the start of names. */
  readonly classes: readonly string[];
  /**
   * The place of its proxies: in the namespace of the Gateway, in some namespace of the cluster, or outside of it, with
   * addresses that no pod has.
   */
  readonly proxies: "beside-gateway" | "in-cluster" | "outside";
  /**
   * Seconds for which its proxies wait for the picker to answer: Envoy's `message_timeout`. Infinite where they wait for as long
   * as it takes, and where nobody says.
   */
  readonly pickerTimeoutSeconds: number;
  /**
   * Whether it connects to model servers by HTTPS with one of its objects. Undefined if that depends on how the gateway
   * is set up.
   */
  readonly reachesTls: boolean | undefined;
  /** Returns the objects that it needs beside a pool. */
  objects(pool: GatewayPool): readonly Manifest[];
  /** These objects in words, for docs/gateways.md. */
  readonly planned: string;
  /** Returns the objects that it needs for a picker that several pools share. Default: none. */
  readonly sharedPicker?: (picker: SharedPickerService) => readonly Manifest[];
  /** How it asks a model router before it chooses a route; undefined where it has no object for that. */
  readonly modelRouter?: ModelRouterSupport;
  /**
   * Seconds after which its default cuts an answer, whatever the answer sends: planned routes then have
   * `timeouts.request: 0s`. Undefined if it has no such limit, or none is known.
   */
  readonly answerLimitSeconds?: number;
  /** Whether it rejects routes that have `timeouts`. Default false. */
  readonly refusesTimeouts?: true;
  /**
   * Trouble with several InferencePools in one rule, as a clause after the gateway's name. Undefined for a gateway that
   * asks each pool's own picker, or for which nothing is reported.
   */
  readonly severalPools?: string;
  /** The documentation that says all this. */
  readonly source: string;
}

/** How a gateway asks a model router, which reads the body of each request before a route is chosen. */
export interface ModelRouterSupport {
  /** Whether it speaks TLS to the router, whose certificate it takes unseen; else plain HTTP/2. */
  readonly tls: boolean;
  /** By which it tells HTTP/2 at the Service's port. */
  readonly appProtocol: string;
  /** Returns the objects by which it asks. */
  objects(router: AskedModelRouter): readonly Manifest[];
  /** These objects in words, for docs/model-router.md. */
  readonly planned: string;
  /** The documentation that says all this. */
  readonly source: string;
}

/** A model router, as far as the gateway that asks it has objects about it. Both are in one namespace. */
export interface AskedModelRouter {
  /** Name of the Gateway. */
  readonly gateway: string;
  readonly namespace: string;
  /** Name of the router's Service, and of the objects. */
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
  /** One for each pool. */
  readonly ports: readonly number[];
  readonly metadata: ObjectMeta;
}

/** A pool, as far as gateways have objects about it. */
export interface GatewayPool {
  readonly name: string;
  readonly namespace: string;
  /** Ports of the model servers. */
  readonly targetPorts: readonly number[];
  /** Whether the model servers serve HTTPS. */
  readonly isTls: boolean;
  /** The Service of the planned picker; undefined for a picker of somebody else. */
  readonly picker: { readonly name: string; readonly port: number } | undefined;
  /** Returns the metadata of an object beside the pool. */
  metadata(name: string): ObjectMeta;
}

/** How a gateway routes to pools that other clusters export. A backend that it does not know gets 500 (Gateway API). */
export interface ImportSupport {
  /** What it is to such routes, as a sentence for the reference pages. */
  readonly summary: string;
  /** The import as a backend; undefined if the gateway refuses imports. */
  readonly backend: ImportBackend | undefined;
  /**
   * The place that the InferencePool of a picker for the import may have in a rule, which has no pods: alone, or beside
   * another pool. Undefined for a gateway that sends requests to a pool's own pods only, whatever the picker says.
   */
  readonly picked: "alone" | "beside-pool" | undefined;
  /** Gateways of other clusters as backends; undefined if it has no kind for them. */
  readonly parents: ParentSupport | undefined;
  /**
   * What routes have, for docs/gateways.md: the import alone, pool and import by weight, a picker for the import, other
   * clusters' gateways.
   */
  readonly docs: Readonly<Record<"alone" | "besidePool" | "picker" | "parents", string>>;
  /** Why it is so, and where that is written. */
  readonly source: string;
}

/** What stands for an exported pool among the backends of a route. */
export interface ImportBackend {
  readonly group: string;
  readonly kind: string;
  /** Whether it is planned here, under a name of its own; else a controller makes it under the pool's name. */
  readonly isPlanned: boolean;
  /** Whether it may share a rule with an InferencePool: `if-accepted` leaves it to `acceptsImports`. */
  readonly besidePool: "never" | "if-accepted" | "always";
}

/** How a gateway reaches gateways of other clusters. */
export interface ParentSupport {
  /** Whether they may share a rule with an InferencePool. */
  readonly besidePool: boolean;
  /** What holds the CA that a parent's certificate is verified by. */
  readonly ca: "caConfigMap" | "caSecret";
  /** Whether `host` has to be a DNS name. */
  readonly needsHostName: boolean;
  /** Kinds of the objects that make parents backends. */
  readonly kinds: ReadonlyArray<Pick<KindFacts, "group" | "plural" | "apiVersion" | "kind">>;
  /** Returns what makes a parent a backend. */
  backend(parent: Parent): ParentBackend;
}

/** The gateway of another cluster, as a backend of a route here. */
export interface Parent {
  /** The name of its objects, which no other parent has. */
  readonly name: string;
  /** The namespace of the pool. */
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

/** What makes the gateway of another cluster a backend: objects of the gateway's own, and the reference to them. */
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
