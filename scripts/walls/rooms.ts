import { isTest, product } from "./folders.ts";
import type { Imports } from "./source-imports.ts";

/**
 * The rooms of `sdk` by path, from the bottom to the top. A room imports only rooms that come before it in this list.
 * The value is one sentence that describes its contents.
 */
export const rooms: Readonly<Record<string, string>> = {
  "sdk/manifests": "manifests that plans and rules share",
  "sdk/observability":
    "metrics that planned rules and dashboards read, with their labels and bounds, and functions that write PromQL with them",
  "sdk/platform": "the cluster's prerequisites: tested versions and their packed manifests",
  "sdk/gateways": "one file per gateway: what it supports, and its own kinds",
  "sdk/schemas":
    "fields that all specs share, and schemas of Kubernetes' kinds and of CRDs, packed from the pinned Go modules",
  "sdk/engines/accelerators": "facts of devices, and the devices that a pod requests and selects",
  "sdk/engines/command-line":
    "reads the command of a container: shells, wrappers, started programs",
  "sdk/engines/models": "facts of models, read from their `config.json`, and the catalog",
  "sdk/engines/memory": "arithmetic of weights, keys and values on a device",
  "sdk/engines/options": "reads the arguments of an engine, by the options of its releases",
  "sdk/engines/spec": "zod schemas of engines, models, accelerators and network devices",
  "sdk/engines/interface": "`Engine`: what the other rooms know of an engine",
  "sdk/engines/checks": "start-up checks that several engines share",
  "sdk/engines/vllm":
    "vLLM: its arguments, images, releases, groups, memory, start-up checks and metrics",
  "sdk/engines/sglang": "SGLang: the same",
  "sdk/engines/tensorrt-llm": "TensorRT-LLM: the same",
  "sdk/engines": "the engines by name, and the engine that a container starts",
  "sdk/engines/groups": "the ways in which the pods of a replica form one engine",
  "sdk/engines/containers":
    "the engine's container in a pod: its port, probes, model, drain and executor",
  "sdk/engines/start-up":
    "whether an engine can start with its arguments: options, memory, context",
  "sdk/engines/model-pods": "the pod template of a typed model",
  "sdk/spec": "zod schemas of the specs that users write, and their defaults",
  "sdk/stack":
    "reads the planned objects of a stack: workloads, gangs, pools, models, unknown values",
  "sdk/graph": "the objects of a plan and the traffic between them, as a Mermaid flowchart",
  "sdk/plugins":
    "pod plugins: their interface, the chain, the allowed changes, and the built-in plugins",
  "sdk/topology": "facts that follow from a spec: LeaderWorkerSets, ports, resources",
  "sdk/placement": "which replicas start first, and on which nodes",
  "sdk/simulation/cards":
    "engine cards: the times of an engine's steps by model, accelerator and division",
  "sdk/simulation/engine":
    "an engine in virtual time: batches, chunks of prompts, the KV cache, step times",
  "sdk/routing":
    "how a pool resolves a model name. The picker, `explain` and statuses call the same function.",
  "sdk/rules/helpers": "readers and definitions that several rules share",
  "sdk/rules/spec": "rules on specs, as named data. Schemas, tests and docs share them.",
  "sdk/rules/objects":
    "rules on planned objects, whichever program creates them. Policies, tests and docs share them.",
  "sdk/validate":
    "`parseInferenceService`: checks shapes, unknown values and rules, and reports all problems together",
  "sdk/plan": "`planInferenceService`, `planDocument`: manifests, one file per kind or idea",
  "sdk/capacity":
    "which replicas start on given nodes, by the rules of the scheduler, and which devices a model fits on",
  "sdk/status": "statuses as pure functions of a spec, objects, the time and the previous status",
  "sdk/multi-cluster":
    "the objects that each cluster of a set should have, from the objects that all clusters have",
  "sdk/rollout": "the order in which replicas update, and what serves meanwhile",
  "sdk/crds": "CustomResourceDefinitions of this project's kinds, generated from the schemas",
  "sdk/impact": "the effect of an update on each service, from its preview",
};

const order = Object.keys(rooms);

/** Returns the room of a file: the longest path that contains it. */
const roomOf = (path: string): string | undefined =>
  order
    .filter((room) => path.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)
    .at(0);

/** Returns the files of `sdk` in no room, and the imports of a room below, as sentences. */
export const roomProblems = (imports: Imports): string[] =>
  [...imports]
    .filter(([path]) => path.startsWith("sdk/") && !isTest(path))
    .flatMap(([path, targets]) => {
      const room = roomOf(path);
      if (room === undefined)
        return path.split("/").length > 2
          ? [`${path} is in no room: add its folder to scripts/walls/rooms.ts.`]
          : [];
      return targets.flatMap((target) => {
        const other = roomOf(target);
        return other === undefined || order.indexOf(other) <= order.indexOf(room)
          ? []
          : [
              `${path} imports ${target}, but \`${other}\` is below \`${room}\` (scripts/walls/rooms.ts).`,
            ];
      });
    });

const engineComparison = /(?:[!=]==|\bcase) "(?:vllm|sglang|tensorrt-llm)"/g;

/** Returns the comparisons with an engine's name outside the room of engines, as sentences. */
export const engineComparisons = (files: ReadonlyMap<string, string>): string[] =>
  [...files]
    .filter(([path]) => product.includes(path.split("/")[0] ?? "") && !isTest(path))
    .filter(([path]) => !path.startsWith("sdk/engines/"))
    .flatMap(([path, text]) =>
      Array.from(
        text.matchAll(engineComparison),
        ([found]) =>
          `${path} compares with an engine: ${found}. Add a field to Engine in sdk/engines/interface.`,
      ),
    );
