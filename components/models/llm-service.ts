import * as pulumi from "@pulumi/pulumi";
import { isDeferred, mapDeferred } from "../../kubernetes/values/deferred.ts";
import { planLLMService } from "../../sdk/plan/models/models.ts";
import type { LLMServiceSpec } from "../../sdk/spec/llm-service.ts";
import { llmServiceSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs } from "../arguments/read-args.ts";
import { claimModels } from "../base/names-in-use.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent } from "../component-resource.ts";
import type { LLMServiceArgs } from "../generated/args.ts";
import { type NodesOf, one } from "../nodes/node-keys.ts";
import { noteRegistration } from "../pools/grants-in-program.ts";

const nodeKeys = { llmService: one("LLMService") } as const;

/** Resource of an LLMService. */
export type LLMServiceNodes = NodesOf<typeof nodeKeys>;

/**
 * Models that a team serves on pools of a platform team: their names, target models and latency objectives. It deploys
 * no pods: the endpoint pickers of the pools read it, and its status reports the result for each pool.
 *
 * The pools may be in other namespaces, if their `allowedNamespaces` admits the LLMService, and in other stacks:
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
export class LLMService extends PlannedComponent<typeof nodeKeys, ReadArgs<LLMServiceSpec>> {
  static readonly __pulumiType = "inference:index:LLMService";

  /** `metadata.name`. */
  declare readonly serviceName: pulumi.Output<string>;
  /** Namespace of the service. */
  declare readonly namespace: pulumi.Output<string>;

  /**
   * @param name logical name; also the service's name unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(name: string, args: LLMServiceArgs, opts: ComponentOptions<typeof nodeKeys> = {}) {
    super(LLMService.__pulumiType, name, opts, {
      parse: () => readArgs(llmServiceSpecKind, name, args),
      plan: (service, component) =>
        planLLMService({
          metadata: service.metadata,
          spec: claimedOnPools(component, name, opts.parent, service),
        }),
      nodeKeys,
      outputs: { serviceName: ({ args: { metadata } }) => metadata.name },
    });
  }
}

/**
 * Returns the spec, and claims the service's model names on its pools. If a pool's name is an unknown Output, they are
 * claimed once it is known.
 */
function claimedOnPools(
  component: pulumi.ComponentResource,
  name: string,
  parent: pulumi.Resource | undefined,
  { namespace: own, spec }: ReadArgs<LLMServiceSpec>,
): LLMServiceSpec {
  const models = spec.models.map((model) => model.name);
  const claim = (pool: unknown, namespace: unknown, known: unknown) => {
    const nodeKey = `${namespace}/${pool}`;
    claimModels(component, name, parent, nodeKey, models);
    const title = `LLMService "${name}"`;
    noteRegistration(component, { title, pool: nodeKey, namespace: String(known), models });
  };
  return {
    ...spec,
    poolRef: spec.poolRef.map((ref) => {
      const { name: pool, namespace = own } = ref;
      if (![pool, namespace, own].some(isDeferred)) {
        claim(pool, namespace, own);
        return ref;
      }
      const nodeKey = pulumi.output({ pool, namespace, own });
      const known = mapDeferred(nodeKey, (value) => {
        const { pool, namespace, own } = value as Record<string, unknown>;
        claim(pool, namespace, own);
        return pool;
      });
      return { ...ref, name: known as string };
    }),
  };
}
