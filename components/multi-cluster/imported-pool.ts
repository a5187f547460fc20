import type * as pulumi from "@pulumi/pulumi";
import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import {
  endpointPickerName,
  importPickerOwner,
  importTlsPolicyName,
  parentsAgentName,
} from "../../sdk/names.ts";
import { planImportedPool } from "../../sdk/plan/multi-cluster/imported-pool.ts";
import type { ImportedPoolSpec } from "../../sdk/spec/imported-pool.ts";
import { importedPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs, stackSetting } from "../arguments/read-args.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { ImportedInferencePoolArgs } from "../generated/args.ts";
import { all, type NodesOf, named, one } from "../nodes/node-keys.ts";
import { programNodeKeys } from "../nodes/program-node-keys.ts";

/** Keys of an ImportedInferencePool's children. Children that its arguments do not need are undefined. */
export const importedPoolNodeKeys = {
  namespace: one("Namespace"),
  /** Picker for the import, or llm-d's picker that selects among clusters. */
  picker: {
    ...programNodeKeys((metadata, component) =>
      metadata.name.includes(endpointPickerName(importPickerOwner(component.name))),
    ),
    /** Client certificate that the picker presents to pickers of other clusters. */
    certificate: one("Certificate"),
  },
  /** Program that writes the route and its backends, with `parentsAgent`. */
  parentsAgent: {
    ...programNodeKeys(named(parentsAgentName)),
    configMap: one("ConfigMap"),
  },
  /** InferencePool that gateways use as the backend for the picker of the import. It has no pods. */
  pool: one("InferencePool"),
  /** BackendTLSPolicy that verifies pickers and pods of exporting clusters, with `tls`. */
  tlsPolicy: one("BackendTLSPolicy", named(importTlsPolicyName)),
  /**
   * Objects that make gateways of other clusters usable as backends, in the order of `parents`. Their kinds depend on
   * the gateway.
   */
  parents: all([...gatewayKindNames, "Service", "BackendTLSPolicy"]),
  /** ReferenceGrant that allows a route of another namespace to refer to the backends. */
  referenceGrant: one("ReferenceGrant"),
  /** HTTPRoute to the pool. Undefined with `parentsAgent`, which creates it. */
  route: one("HTTPRoute"),
} as const;

/** Resources of an ImportedInferencePool, by purpose. */
export type ImportedInferencePoolNodes = NodesOf<typeof importedPoolNodeKeys>;

/**
 * Route of a cluster to a pool that another cluster exports. The multi-cluster controller creates the
 * InferencePoolImport itself, with the pool's name and namespace.
 *
 * With `picker`, the route's backend is an InferencePool of that picker, which all gateways support. Without it, the
 * backend is the import itself. It can be combined with the local pool only if the gateway supports both kinds in one
 * rule: other gateways answer the import's share with 500.
 *
 * ```ts
 * new ImportedInferencePool("llm-pool", {
 *   metadata: { namespace: "example" },
 *   picker: { localCluster: "b" },
 *   local: { weight: 50 },
 *   weight: 50,
 *   parentRefs: [{ name: "inference-gateway" }],
 * }, { provider: clusterB });
 * ```
 */
export class ImportedInferencePool extends PlannedComponent<
  typeof importedPoolNodeKeys,
  ReadArgs<ImportedPoolSpec>
> {
  static readonly __pulumiType = "inference:index:ImportedInferencePool";

  /** Name of the pool and of its import. */
  declare readonly poolName: pulumi.Output<string>;
  /** Namespace of the pool. */
  declare readonly namespace: pulumi.Output<string>;
  /** Command that shows the route and, with `picker`, the picker for the import. `pulumi up` waits for neither. */
  declare readonly readiness: pulumi.Output<string>;

  /**
   * @param name logical name; also the pool's name unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(
    name: string,
    args: ImportedInferencePoolArgs,
    opts: ComponentOptions<typeof importedPoolNodeKeys> = {},
  ) {
    super(ImportedInferencePool.__pulumiType, name, opts, {
      parse: () => readArgs(importedPoolSpecKind, name, args),
      plan: (pool) => planImportedPool(pool, { runtimeImage: stackSetting("image") }),
      nodeKeys: importedPoolNodeKeys,
      outputs: {
        poolName: ({ args: { metadata } }) => metadata.name,
        readiness: unawaited,
      },
    });
  }
}
