import * as pulumi from "@pulumi/pulumi";
import { dnsLabel } from "../../kubernetes/values/dns-label.ts";
import { inferencePoolName } from "../../sdk/names.ts";
import { optionsOfChildren, ownOptions } from "../child-options.ts";
import { isComponent } from "../component-resource.ts";
import type {
  ExportArgs,
  InferenceServiceArgs,
  MultiClusterInferenceServiceArgs,
  ServiceClusterArgs,
} from "../generated/args.ts";
import { InferenceService } from "../inference-service.ts";
import type { TransformsOf } from "../nodes/node-keys.ts";
import type { inferenceServiceNodeKeys } from "../service/inference-service-node-keys.ts";
import { ImportedInferencePool, type importedPoolNodeKeys } from "./imported-pool.ts";

/**
 * Options of the component, including the options for the components of each cluster. It passes on `ignoreChanges`,
 * `replaceOnChanges` and `customTimeouts` to every child.
 */
export interface MultiClusterOptions extends pulumi.ComponentResourceOptions {
  transform?: {
    services?: TransformsOf<typeof inferenceServiceNodeKeys>;
    routes?: TransformsOf<typeof importedPoolNodeKeys>;
  };
}

/** Nodes of components. A property would become an output in the packages of other languages. */
const nodes = new WeakMap<MultiClusterInferenceService, MultiClusterNodes>();

/** Components of each cluster, by cluster name. */
export interface MultiClusterNodes {
  readonly services: Readonly<Record<string, InferenceService>>;
  readonly routes: Readonly<Record<string, ImportedInferencePool>>;
}

/**
 * One service in several clusters. Each cluster gets an InferenceService whose pool is exported, and a route over its
 * own pool and the pools of the other clusters. The multi-cluster controller of the ClusterSet creates the imports.
 *
 * ```ts
 * new MultiClusterInferenceService("deepseek", {
 *   roles: [worker, { name: "router", componentType: "router" }],
 *   clusters: [{ name: "east", provider: east }, { name: "west", provider: west, replicas: { worker: 4 } }],
 *   route: { picker: {}, local: { weight: 90 }, weight: 10, parentRefs: [{ name: "gw" }] },
 * });
 * ```
 */
export class MultiClusterInferenceService extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:MultiClusterInferenceService";

  /** Name of the service in every cluster. */
  declare readonly serviceName: pulumi.Output<string>;
  /** Namespace of the service in every cluster. */
  declare readonly namespace: pulumi.Output<string>;

  /**
   * Reports whether a value is a MultiClusterInferenceService, even if it was created by another copy of this package.
   */
  static override isInstance(value: unknown): value is MultiClusterInferenceService {
    return isComponent(value, MultiClusterInferenceService.__pulumiType);
  }

  /**
   * @param name logical name; also the service's name in every cluster unless `metadata.name` is set
   * @throws RunError if there are fewer than two clusters, two with the same name, or no router to export
   * @throws InvalidArgsError listing every problem of the service's arguments
   */
  constructor(
    name: string,
    args: MultiClusterInferenceServiceArgs,
    { transform, ...opts }: MultiClusterOptions = {},
  ) {
    const { clusters, export: exported, route, ...service } = args;
    assertClusters(name, args);
    super(MultiClusterInferenceService.__pulumiType, name, {}, ownOptions(opts));

    const made: {
      services: Record<string, InferenceService>;
      routes: Record<string, ImportedInferencePool>;
    } = { services: {}, routes: {} };
    const metadata = { ...service.metadata, name: service.metadata?.name ?? name };
    for (const cluster of clusters) {
      const own = { parent: this, provider: cluster.provider, ...optionsOfChildren(opts) };
      made.services[cluster.name] = new InferenceService(
        `${name}-${cluster.name}`,
        { ...service, metadata, roles: rolesIn(cluster, service.roles, exported) },
        { ...own, transform: transform?.services },
      );
      if (route === undefined) continue;
      made.routes[cluster.name] = new ImportedInferencePool(
        `${name}-${cluster.name}-route`,
        {
          ...route,
          ...(route.picker && { picker: { localCluster: cluster.name, ...route.picker } }),
          metadata: { ...metadata, name: inferencePoolName(metadata.name) },
        },
        { ...own, transform: transform?.routes },
      );
    }
    nodes.set(this, made);
    const outputs = {
      serviceName: pulumi.output(metadata.name),
      namespace: pulumi.output(metadata.namespace ?? "default"),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** Components of each cluster. */
  get nodes(): MultiClusterNodes {
    return nodes.get(this) ?? { services: {}, routes: {} };
  }
}

/** Returns the roles for a cluster, with its replicas and an exported pool. */
function rolesIn(
  { replicas = {} }: ServiceClusterArgs,
  roles: InferenceServiceArgs["roles"],
  exported: ExportArgs = {},
): InferenceServiceArgs["roles"] {
  return roles.map((written) => {
    const count = replicas[written.name];
    const role = count === undefined ? written : { ...written, replicas: count };
    return role.componentType === "router" ? { ...role, export: exported } : role;
  });
}

function assertClusters(name: string, args: MultiClusterInferenceServiceArgs): void {
  const names = (args.clusters ?? []).map((cluster) => cluster.name);
  const refuse = (given: string, allowed: string, fix: string) => {
    throw new pulumi.RunError(
      `MultiClusterInferenceService "${name}": ${given}; allowed: ${allowed}. ${fix}`,
    );
  };
  if (names.length < 2)
    refuse(
      `clusters: has ${names.length} ${names.length === 1 ? "entry" : "entries"}`,
      "at least two clusters",
      "Add a cluster, or use InferenceService.",
    );
  const twice = names.find((each, at) => names.indexOf(each) !== at);
  if (twice !== undefined)
    refuse(`clusters: names ${twice} twice`, "each cluster once", "Rename or remove one of them.");
  const odd = names.find((each) => !dnsLabel.test(each));
  if (odd !== undefined)
    refuse(
      `clusters: a cluster is named ${JSON.stringify(odd)}`,
      "lower-case letters, digits and dashes",
      "Choose such a name.",
    );
  const roles = new Set((args.roles ?? []).map((role) => role.name));
  const unknown = (args.clusters ?? []).flatMap((cluster) =>
    Object.keys(cluster.replicas ?? {}).filter((role) => !roles.has(role)),
  );
  if (unknown.length > 0)
    refuse(
      `clusters: replicas name the role ${unknown[0]}`,
      `roles of the service: ${[...roles].join(", ")}`,
      "Name one of these.",
    );
  if (!(args.roles ?? []).some(({ componentType }) => componentType === "router"))
    refuse(
      "roles: has no router",
      "a role with componentType router, whose pool is exported",
      "Add one.",
    );
}
