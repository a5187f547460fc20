import { listedAdapters } from "../engines/containers/adapters.ts";
import { servedModels } from "../engines/containers/served-models.ts";
import { argumentsOf, engineNameOf, engines } from "../engines/index.ts";
import { type Pool, podsOfPool } from "./pools.ts";
import type { ContainerShape } from "./shapes.ts";
import type { Stack } from "./stack.ts";
import { engineOfPods } from "./workloads.ts";

/** Names of models, or undefined if the templates do not contain all of them. */
type Names = readonly string[] | undefined;

/** Returns the names of models that the engines of a pool serve, without adapters. Undefined if it has no engine. */
export const modelsOfPool = (stack: Stack, pool: Pool): Names => namesIn(stack, pool, servedModels);

/** Returns the names of models and adapters that the engines of a pool serve. Undefined if it has no engine. */
export const modelsAndAdaptersOfPool = (stack: Stack, pool: Pool): Names =>
  namesIn(stack, pool, (engine) => {
    const models = servedModels(engine);
    if (models === undefined || mayLoadMore(engine)) return undefined;
    return [...models, ...listedAdapters(engine).map(({ name }) => name)];
  });

function namesIn(stack: Stack, pool: Pool, find: (engine: ContainerShape) => Names): Names {
  const names = podsOfPool(stack, pool)
    .filter(({ isWorker }) => !isWorker)
    .map((pods) => {
      const engine = engineOfPods(pods)?.container;
      return engine && find(engine);
    });
  return names.length > 0 && names.every((each) => each !== undefined)
    ? [...new Set(names.flat())]
    : undefined;
}

/** Variables with which vLLM loads adapters after its start. */
const loading = /^VLLM_(ALLOW_RUNTIME_LORA_UPDATING|LORA_RESOLVER|PLUGINS)/;

/** Whether an engine may load adapters that its arguments do not list. */
function mayLoadMore(engine: ContainerShape): boolean {
  const args = argumentsOf(engine);
  const name = engineNameOf(engine);
  const option = name && engines[name].requestedAdapters;
  return (
    args.isOpen ||
    engine.envFrom !== undefined ||
    (engine.env ?? []).some(({ name }) => loading.test(name)) ||
    (option !== undefined && args.has(option))
  );
}
