import type { apiextensions, apps, core, policy } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { present } from "../../kubernetes/values/present.ts";
import { planImportedPool } from "../../sdk/plan/pools/imported-pool.ts";
import { importedPoolSpecKind } from "../../sdk/validate/imported-pool.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects, unawaited } from "../component.ts";
import type { ImportedInferencePoolArgs } from "../generated/args.ts";
import type { HTTPRoute } from "../kubernetes/http-route.ts";
import { readArgs, stackSetting } from "../read-args.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<ImportedInferencePool, ImportedInferencePoolNodes>();

/** The resources of an ImportedInferencePool; those that its arguments do not ask for are undefined. */
export interface ImportedInferencePoolNodes {
  readonly namespace?: core.v1.Namespace;
  /** The picker for the import. */
  readonly deployment?: apps.v1.Deployment;
  /** With several pickers, or where one is asked for. */
  readonly podDisruptionBudget?: policy.v1.PodDisruptionBudget;
  readonly httpRoute?: HTTPRoute;
  readonly referenceGrant?: apiextensions.CustomResource;
  readonly backendTlsPolicy?: apiextensions.CustomResource;
  /** What makes gateways of other clusters backends, in the order of `parents`: objects of the gateway's own kinds. */
  readonly parents: readonly pulumi.CustomResource[];
}

/**
 * The route of a cluster to a pool that another cluster exports. The InferencePoolImport itself is made by the
 * multi-cluster controller, under the pool's name and namespace.
 *
 * A rule over the pool here and the import there is made only where the gateway can serve it: others answer the
 * import's share with 500.
 *
 * ```ts
 * new ImportedInferencePool("llm-pool", {
 *   metadata: { namespace: "example" },
 *   gateway: { acceptsImports: true },
 *   local: { weight: 50 },
 *   weight: 50,
 *   parentRefs: [{ name: "inference-gateway" }],
 * }, { provider: clusterB });
 * ```
 */
export class ImportedInferencePool extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:ImportedInferencePool";

  /** Which command shows the route, and the picker for the import where there is one; `pulumi up` waits for neither. */
  declare readonly readiness: pulumi.Output<string>;

  /** Whether a value is an ImportedInferencePool, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is ImportedInferencePool {
    return isComponent(value, ImportedInferencePool.__pulumiType);
  }

  /**
   * @param name logical name, and the pool's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: ImportedInferencePoolArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(ImportedInferencePool.__pulumiType, name, { readiness: undefined }, opts);
      return;
    }
    const pool = readArgs(importedPoolSpecKind, name, args);
    super(ImportedInferencePool.__pulumiType, name, pool.inputs, ownOptions(opts));

    const manifests = planImportedPool(pool, { endpointPickerImage: stackSetting("image") });
    const children = makeObjects(this, name, pool, opts, manifests);
    nodes.set(
      this,
      present({
        namespace: children.one("Namespace"),
        deployment: children.one("Deployment"),
        podDisruptionBudget: children.one("PodDisruptionBudget"),
        httpRoute: children.one("HTTPRoute"),
        referenceGrant: children.one("ReferenceGrant"),
        backendTlsPolicy: children.one("BackendTLSPolicy"),
        parents: [
          ...children.all("AgentgatewayBackend"),
          ...children.all("ServiceEntry"),
          ...children.all("Service"),
        ],
      }),
    );
    const outputs = { readiness: unawaited(manifests, pool, pool.namespace) };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the import. Empty in one that is only referred to. */
  get nodes(): ImportedInferencePoolNodes {
    return nodes.get(this) ?? { parents: [] };
  }
}
