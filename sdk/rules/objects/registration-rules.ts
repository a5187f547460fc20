import { orList } from "../../errors.ts";
import { readLLMService } from "../../routing/read-llm-service.ts";
import { refusedModels } from "../../routing/refused-models.ts";
import { poolAnnotations, type RoutedPool } from "../../routing/routed-pool.ts";
import { modelsAndAdaptersOfPool } from "../../stack/pool-models.ts";
import { type Pool, poolGroup, poolsOf } from "../../stack/pools.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";
import { openPoolsKeepTheirModels } from "../spec/pools.ts";

const { objectRule, stackRule } = rulesOfPack("inference-routing");

const eachOf = (kind: string): Subjects<TypedObject<Record<string, unknown>>> => ({
  of: (stack) => specsOf(stack, `inference.x-k8s.io/${kind}`),
  needsPods: false,
});

/** The rule on specs, applied to pools of any author. */
export const openPoolKeepsItsModels: StackRule = objectRule(
  { ...openPoolsKeepTheirModels },
  {
    ...openPoolsKeepTheirModels,
    fix: "List the models that each namespace may register, or list the names that no other namespace may register in reservedModels.",
  },
  eachOf("LLMServerPool"),
  function* ({ object: { manifest }, spec, path }) {
    for (const finding of openPoolsKeepTheirModels.check({ metadata: manifest.metadata, spec }))
      yield { ...finding, path: [...path, ...finding.path] };
  },
);

const registeredNamesAreGranted = stackRule(
  { id: "registered-models-are-allowed", code: "reference" },
  {
    title: "An LLMService registers only names that the pool's owner grants its namespace",
    why: "It does not get other names. Requests for them go to another LLMService, or are rejected.",
    source: "docs/pools.md, Across namespaces and stacks",
    fix: "Change the name, or change allowedNamespaces and reservedModels of the LLMServerPool.",
  },
  eachOf("LLMService"),
  function* ({ name, namespace, spec, path }, { stack }) {
    const pools = poolsOf(stack);
    // The stack of a team may refer to a pool of another stack, whose name may not yet be known.
    if (pools.length === 0) return;
    const { service } = readLLMService({ metadata: { name, namespace }, spec });
    for (const reference of service?.pools ?? []) {
      const pool = pools.find(
        (each) => each.name === reference.name && each.namespace === reference.namespace,
      );
      if (pool === undefined) continue;
      const models = service?.models.map(({ name }) => name) ?? [];
      for (const { given, fix } of refusedModels(routed(pool), { namespace, models }))
        yield {
          path: [...path, "models"],
          given,
          allowed: "names that the pool's owner grants",
          fix,
        };
    }
  },
);

const registeredModelsAreServed = stackRule(
  { id: "registered-models-are-served", code: "reference", level: "advisory" },
  {
    title: "The engines of a pool serve the models and adapters that an LLMService names",
    why: "The picker sends requests with the name of the target. An engine without a model or adapter of this name answers them with 404.",
    source: "vLLM, --served-model-name and --lora-modules; SGLang, --lora-paths",
    fix: "Correct the name, or load the adapter in the engines of the pool.",
  },
  { ...eachOf("LLMService"), needsPods: true },
  function* ({ name, namespace, spec, path }, { stack }) {
    if (stack.objects.some(({ manifest }) => manifest.kind === "InferenceModelRewrite")) return;
    const pools = poolsOf(stack);
    // The stack of a team may refer to a pool of another stack, whose name may not yet be known.
    if (pools.length === 0) return;
    const { service } = readLLMService({ metadata: { name, namespace }, spec });
    const targets = (service?.models ?? []).flatMap(({ name, targets }) =>
      targets.length === 0
        ? [name]
        : targets.flatMap(({ model, weight }) => (weight === 0 ? [] : model)),
    );
    for (const reference of service?.pools ?? []) {
      const pool = pools.find(
        (each) => each.name === reference.name && each.namespace === reference.namespace,
      );
      const served = pool && modelsAndAdaptersOfPool(stack, pool);
      const missing = served && targets.filter((target) => !served.includes(target));
      if (served === undefined || missing === undefined || missing.length === 0) continue;
      yield {
        path: [...path, "models"],
        given: `send requests for ${missing.join(", ")} to pool ${reference.namespace}/${reference.name}, whose engines do not serve this name`,
        allowed: orList(served),
      };
    }
  },
);

const routed = ({ name, namespace, object: { manifest } }: Pool): RoutedPool => ({
  group: poolGroup,
  name,
  namespace,
  ...poolAnnotations(manifest.metadata.annotations ?? {}),
});

export const registrationRules: readonly StackRule[] = [
  openPoolKeepsItsModels,
  registeredNamesAreGranted,
  registeredModelsAreServed,
];
