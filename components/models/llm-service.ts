import type { apiextensions } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { isDeferred, mapDeferred } from "../../kubernetes/values/deferred.ts";
import { planLLMService } from "../../sdk/plan/models/models.ts";
import type { LLMServiceSpec } from "../../sdk/spec/llm-service.ts";
import { llmServiceSpecKind } from "../../sdk/validate/models.ts";
import { type ComponentOptions, ownOptions } from "../child-options.ts";
import { isComponent, makeObjects } from "../component.ts";
import type { LLMServiceArgs } from "../generated/args.ts";
import { claimModels } from "../names-in-use.ts";
import { noteRegistration } from "../pools/grants-in-program.ts";
import { type ReadArgs, readArgs } from "../read-args.ts";

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<LLMService, LLMServiceNodes>();

/** The resource of an LLMService. */
export interface LLMServiceNodes {
  readonly llmService?: apiextensions.CustomResource;
}

/**
 * Models that a team serves on pools of others: names, what the servers are asked for, and how important they are.
 * It runs nothing; the endpoint pickers of the pools read it, and its status says what became of it.
 *
 * The pools may be in other namespaces, where they admit it by `allowedNamespaces`, and in other stacks:
 *
 * ```ts
 * const platform = new pulumi.StackReference("org/platform/prod");
 * new LLMService("npc-bot", {
 *   metadata: { namespace: "games" },
 *   models: [
 *     {
 *       name: "npc-bot",
 *       objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms" },
 *       targetModels: [
 *         { name: "npc-bot-v1", weight: 90 },
 *         { name: "npc-bot-v2", weight: 10 },
 *       ],
 *     },
 *   ],
 *   poolRef: [{ name: platform.getOutput("poolName"), namespace: "platform" }],
 * });
 * ```
 */
export class LLMService extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:LLMService";

  /** `metadata.name`. */
  declare readonly serviceName: pulumi.Output<string>;
  declare readonly namespace: pulumi.Output<string>;

  /** Whether a value is an LLMService, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is LLMService {
    return isComponent(value, LLMService.__pulumiType);
  }

  /**
   * @param name logical name, and the service's name unless `metadata.name` says otherwise
   * @throws InvalidArgsError with every problem of the arguments
   */
  constructor(name: string, args: LLMServiceArgs, opts: ComponentOptions = {}) {
    if (opts.urn !== undefined) {
      super(LLMService.__pulumiType, name, { serviceName: undefined, namespace: undefined }, opts);
      return;
    }
    const service = readArgs(llmServiceSpecKind, name, args);
    super(LLMService.__pulumiType, name, service.inputs, ownOptions(opts));

    const { metadata, namespace } = service;
    const claimed = { metadata, spec: claimedOnPools(this, name, opts.parent, service) };
    const children = makeObjects(this, name, service, opts, planLLMService(claimed));
    nodes.set(this, { llmService: children.one("LLMService") });

    const outputs = {
      serviceName: pulumi.output(metadata.name),
      namespace: pulumi.output(namespace),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resource of the service. Empty in a service that is only referred to. */
  get nodes(): LLMServiceNodes {
    return nodes.get(this) ?? {};
  }
}

/** The spec; a pool whose name is known later claims the service's model names when it is. */
function claimedOnPools(
  component: LLMService,
  name: string,
  parent: pulumi.Resource | undefined,
  { namespace: own, spec }: ReadArgs<LLMServiceSpec>,
): LLMServiceSpec {
  const models = spec.models.map((model) => model.name);
  const claim = (pool: unknown, namespace: unknown, known: unknown) => {
    const place = `${namespace}/${pool}`;
    claimModels(component, name, parent, place, models);
    const title = `LLMService "${name}"`;
    noteRegistration(component, { title, pool: place, namespace: String(known), models });
  };
  return {
    ...spec,
    poolRef: spec.poolRef.map((ref) => {
      const { name: pool, namespace = own } = ref;
      if (![pool, namespace, own].some(isDeferred)) {
        claim(pool, namespace, own);
        return ref;
      }
      const place = pulumi.output({ pool, namespace, own });
      const known = mapDeferred(place, (value) => {
        const { pool, namespace, own } = value as Record<string, unknown>;
        claim(pool, namespace, own);
        return pool;
      });
      return { ...ref, name: known as string };
    }),
  };
}
