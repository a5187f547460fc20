import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isAccelerator } from "../../kubernetes/values/dns-label.ts";
import { parseQuantity } from "../../kubernetes/values/quantity.ts";
import { argumentsField, wordsOf } from "../engines/command-line.ts";
import { flagValue, hasFlag } from "../engines/flags.ts";
import { engineNameOf, engines } from "../engines/index.ts";
import { loopbackHost } from "../engines/server.ts";
import { executors, executorsFor } from "../executors/index.ts";
import type { Invariant } from "../invariant.ts";
import { isDisaggregated } from "../spec/inference-service.ts";
import { isMultiNode, nodeCountOf } from "../spec/role.ts";
import { engineIndexOf, engineOf, serversOf } from "../topology/engine-container.ts";
import { bootstrapOf, engineNameOfRole, executorOf } from "../topology/executor.ts";
import { type Resources, wrongAccelerators } from "./accelerator-amounts.ts";
import { isPairSide, missingTransfer, pairTransfersBlocks } from "./kv-transfer.ts";
import { probesOfGroupPort } from "./leader-probes.ts";
import { inferenceRoles, type PartialSpec } from "./partial-spec.ts";
import { transferIsPlanned } from "./planned-transfer.ts";

const pairing =
  "InferenceService design, Gang Scheduling Behavior: 'At least one prefill AND one decode replica'";

const serviceHasInferenceRole: Invariant<PartialSpec> = {
  id: "service-has-an-inference-role",
  title: "A service has a role that serves a model",
  why: "A router alone has a pool without pods.",
  source: "InferenceService design, Component Types",
  code: "reference",
  *check({ roles }) {
    if (roles.length === 0 || roles.some(({ componentType }) => componentType !== "router")) return;
    yield {
      path: ["roles"],
      given: "has only routers",
      allowed: "at least one worker, or a prefiller and a decoder",
      fix: "Add the role that serves the model.",
    };
  },
};

const prefillersAndDecodersPair: Invariant<PartialSpec> = {
  id: "prefillers-and-decoders-pair",
  title: "Prefillers and decoders come together",
  why: "A request needs both; half a pair serves nothing.",
  source: pairing,
  code: "reference",
  *check({ roles }) {
    const prefiller = roles.find(({ componentType }) => componentType === "prefiller");
    const decoder = roles.find(({ componentType }) => componentType === "decoder");
    const lonely = prefiller ?? decoder;
    if (lonely === undefined || (prefiller !== undefined && decoder !== undefined)) return;
    const missing = lonely === prefiller ? "decoder" : "prefiller";
    yield {
      path: ["roles", lonely.index, "componentType"],
      given: `is ${String(lonely.componentType)}, and no role is a ${missing}`,
      allowed: "prefillers and decoders together, or workers",
      fix: `Add a ${missing} role, or make this one a worker.`,
    };
  },
};

const pairScalesTogether: Invariant<PartialSpec> = {
  id: "pair-scales-to-zero-together",
  title: "Prefillers and decoders are scaled to zero together",
  why: "One side without the other holds GPUs and serves nothing.",
  source: pairing,
  code: "count",
  *check(spec) {
    const side = (type: string) =>
      inferenceRoles(spec).filter(({ role }) => role.componentType === type);
    const running = (roles: ReturnType<typeof side>) => roles.some(({ role }) => role.replicas > 0);
    const prefillers = side("prefiller");
    const decoders = side("decoder");
    if (prefillers.length === 0 || decoders.length === 0) return;
    if (running(prefillers) === running(decoders)) return;
    const [stopped, other] = running(prefillers)
      ? [decoders, "prefillers"]
      : [prefillers, "decoders"];
    for (const { index, role } of stopped) {
      yield {
        path: ["roles", index, "replicas"],
        given: `is 0 while the ${other} run`,
        allowed: `a ${role.componentType} needs at least 1, or both sides have 0`,
        fix: `Set it to 1 or more, or scale the ${other} to 0 as well.`,
      };
    }
  },
};

const minReplicasWithinReplicas: Invariant<PartialSpec> = {
  id: "min-replicas-within-replicas",
  title: "minReplicas is at most replicas",
  why: "A gang that waits for more replicas than there are never starts.",
  source: "volcano.sh gang plugin: a job with fewer sub-groups than minSubGroups is not valid",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { minReplicas, replicas } = role;
      if (minReplicas === undefined || replicas === 0 || minReplicas <= replicas) continue;
      yield {
        path: ["roles", index, "minReplicas"],
        given: `is ${minReplicas}`,
        allowed: `at most replicas, which is ${replicas}`,
        fix: "Lower minReplicas or raise replicas.",
      };
    }
  },
};

const podCountFits: Invariant<PartialSpec> = {
  id: "pod-count-fits",
  title: "replicas times nodeCount fits 32 bits",
  why: "The LeaderWorkerSet webhook refuses more.",
  source: "sigs.k8s.io/lws webhook: replicas * size <= MaxInt32",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const pods = role.replicas * nodeCountOf(role);
      if (pods <= 2 ** 31 - 1) continue;
      yield {
        path: ["roles", index, "replicas"],
        given: `makes ${pods} pods`,
        allowed: "at most 2147483647",
        fix: "Lower replicas or nodeCount.",
      };
    }
  },
};

const multiNodeHasAccelerators: Invariant<PartialSpec> = {
  id: "multi-node-has-accelerators",
  title: "A multi-node role asks for GPUs",
  why: "The engine container is the one with a GPU; without one nothing tells which container to form the group from.",
  source: "InferenceService design, Story 3: 'each with 8 GPUs'",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      if (!isMultiNode(role)) continue;
      // A plugin may add them; the plan looks again once it has.
      if (spec.roles[index]?.hasPlugins === true) continue;
      if (role.template.spec.containers.some(asksForAccelerators)) continue;
      yield {
        path: ["roles", index, "template", "spec", "containers"],
        given: "ask for no GPU",
        allowed: `a GPU request in one container, since nodeCount is ${nodeCountOf(role)}`,
        fix: 'Add resources.limits, for example "nvidia.com/gpu": "8".',
      };
    }
  },
};

/** An amount that cannot be read is another rule's. */
function asksForAccelerators({ resources = {} }: C): boolean {
  return Object.entries({ ...resources.limits, ...resources.requests }).some(
    ([resource, written]) => isAccelerator(resource) && parseQuantity(written)?.nanos !== 0n,
  );
}

const acceleratorsAreWhole: Invariant<PartialSpec> = {
  id: "accelerators-are-whole-and-limited",
  title: "Accelerators are whole numbers, and limits equal requests",
  why: "The API server refuses anything else: a device cannot be shared or overcommitted.",
  source:
    "k8s.io/kubernetes pkg/apis/core/validation: extended resources are integers, limit equals request",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      for (const [kind, containers] of containerLists(role.template.spec)) {
        for (const [at, container] of containers.entries()) {
          const path = ["roles", index, "template", "spec", kind, at, "resources"];
          yield* wrongAccelerators(container.resources ?? {}, path);
        }
      }
    }
  },
};

const groupPortIsFree: Invariant<PartialSpec> = {
  id: "group-port-is-free",
  title: "The port on which a replica's pods meet is not declared by a container",
  why: "The plan adds it to the leader; a second use of it would keep the group from forming.",
  source: "InferenceService design, Example 2: containerPort 6379 on the leader",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const groupPort = bootstrapOf(role)?.groupPort;
      if (groupPort === undefined) continue;
      for (const [kind, containers] of containerLists(role.template.spec)) {
        for (const [at, container] of containers.entries()) {
          for (const [portAt, port] of (container.ports ?? []).entries()) {
            if (port.containerPort !== groupPort.port && port.name !== groupPort.name) continue;
            yield {
              path: ["roles", index, "template", "spec", kind, at, "ports", portAt],
              given: `declares port ${port.containerPort}${port.name === undefined ? "" : ` (${port.name})`}`,
              allowed: `any port but ${groupPort.port} (${groupPort.name}), where ${groupPort.user}`,
              fix: "Serve on another port, or choose executor: custom.",
            };
          }
        }
      }
    }
  },
};

const engineStartsAsArgv: Invariant<PartialSpec> = {
  id: "engine-command-is-argv",
  title: "A multi-node engine is started by its own command, not by a shell script",
  why: "Flags that form the group are added to the engine's command; after a script they reach the shell instead.",
  source:
    "InferenceService design, Example 2: '<original command> --distributed-executor-backend ray'",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const executor = executorOf(role);
      if (bootstrapOf(role) === undefined) continue;
      const { spec } = role.template;
      const at = engineIndexOf(spec);
      const command = [spec.containers[at]?.command ?? []].flat().map(knownWord);
      const isShell = /^(.*\/)?(ba|da|a|z|k)?sh$/.test(command[0] ?? "");
      if (!isShell || !command.some((word) => /^-[a-z]*c$/.test(word))) continue;
      yield {
        path: ["roles", index, "template", "spec", "containers", at, "command"],
        given: `is a shell script (${command.slice(0, 2).join(" ")})`,
        allowed: `the engine's command as a list, since executor ${executor} adds flags to it`,
        fix: "Give the command without a shell, or set multinode.executor to custom and form the group in the script.",
      };
    }
  },
};

const knownWord = (word: unknown) => (isDeferred(word) ? "" : String(word));

const executorFitsEngine: Invariant<PartialSpec> = {
  id: "executor-fits-the-engine",
  title: "A group is formed in the way of the engine that its template starts",
  why: "SGLang knows neither Ray nor vLLM's flags, and vLLM not SGLang's: the engine would end at its first unknown argument.",
  source:
    "SGLang, multi-node deployment: --dist-init-addr, --nnodes, --node-rank; vLLM: --distributed-executor-backend",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const executor = executorOf(role);
      const started = engineNameOf(engineOf(role.template.spec));
      if (executor === undefined || started === undefined) continue;
      const { engine } = executors[executor];
      if (engine === undefined || engine === started) continue;
      const [byDefault, ...others] = executorsFor(started);
      yield {
        path: ["roles", index, "multinode", "executor"],
        given: `is ${executor}, and the template starts ${engines[started].title}`,
        allowed: `${[byDefault, ...others].join(", ")} or custom`,
        fix: `Leave executor out for ${byDefault}, or choose custom and write the arguments yourself.`,
      };
    }
  },
};

const leaderProbesAskTheEngine: Invariant<PartialSpec> = {
  id: "leader-probes-ask-the-engine",
  title:
    "The probes of a leader ask the port that serves the model, not the one where its pods meet",
  why: "Ray's port opens long before the model answers: the leader would get requests while it loads.",
  source:
    "InferenceService design, Example 2: containerPort 6379 on the leader; Kubernetes, readiness probes",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      if (!isMultiNode(role)) continue;
      const { spec } = role.template;
      const engine = ["roles", index, "template", "spec", "containers", engineIndexOf(spec)];
      for (const { path, ...finding } of probesOfGroupPort(
        engineOf(spec),
        bootstrapOf(role)?.groupPort,
      ))
        yield { path: [...engine, ...path], ...finding };
    }
  },
};

const engineListensOnThePod: Invariant<PartialSpec> = {
  id: "engine-listens-on-the-pod",
  title: "An engine listens on its pod's address",
  why: "On a loopback address neither gateway nor kubelet reaches it, and the pool is empty for ever.",
  source: "SGLang, server arguments: --host is 127.0.0.1 by default; vllm serve --host",
  code: "reference",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { spec } = role.template;
      const host = loopbackHost(engineOf(spec));
      const name = engineNameOf(engineOf(spec));
      // Another container of the pod may serve for it.
      if (host === undefined || serversOf(spec) > 1) continue;
      const isWritten = hasFlag(wordsOf(engineOf(spec)), "--host");
      yield {
        path: [
          "roles",
          index,
          "template",
          "spec",
          "containers",
          engineIndexOf(spec),
          argumentsField(engineOf(spec)),
        ],
        given:
          isWritten || name === undefined
            ? `set --host ${host}`
            : `leave --host at ${engines[name].title}'s default, ${host}`,
        allowed: "an address that other pods reach",
        fix: 'Write "--host", "0.0.0.0".',
      };
    }
  },
};

const wellFormed = (spec: PartialSpec) => ({ roles: spec.roles.flatMap(({ role }) => role ?? []) });

const pairTransfers: Invariant<PartialSpec> = {
  ...pairTransfersBlocks,
  *check(service) {
    if (!isDisaggregated(service.roles) || transferIsPlanned(wellFormed(service))) return;
    for (const { index, role } of inferenceRoles(service)) {
      // A plugin may add them.
      if (!isPairSide(role.componentType) || service.roles[index]?.hasPlugins === true) continue;
      const { spec } = role.template;
      const problem = missingTransfer(engineOf(spec), role.componentType, engineNameOfRole(role));
      if (problem === undefined) continue;
      const at = engineIndexOf(spec);
      const field = argumentsField(engineOf(spec));
      yield { path: ["roles", index, "template", "spec", "containers", at, field], ...problem };
    }
  },
};

const executorIsNotContradicted: Invariant<PartialSpec> = {
  id: "executor-is-not-contradicted",
  title: "The engine's own flags agree with the role's executor",
  why: "An engine told another backend, rank or address never meets its workers.",
  source:
    "vLLM engine arguments: --distributed-executor-backend, --nnodes, --node-rank, --master-addr",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const executor = executorOf(role);
      const bootstrap = bootstrapOf(role);
      if (bootstrap === undefined) continue;
      const { spec } = role.template;
      const at = engineIndexOf(spec);
      const words = wordsOf(engineOf(spec));
      const field = argumentsField(engineOf(spec));
      const path = ["roles", index, "template", "spec", "containers", at, field];
      for (const [flag, value] of Object.entries(bootstrap.fixedFlags)) {
        const written = flagValue(words, flag);
        if (written === undefined || written === value) continue;
        yield {
          path,
          given: `set ${flag} ${written}`,
          allowed: `${value}, the role's multinode.executor`,
          fix: "Remove the flag, or set multinode.executor to match.",
        };
      }
      for (const flag of bootstrap.ownFlags.filter((name) => hasFlag(words, name))) {
        yield {
          path,
          given: `set ${flag}`,
          allowed: `flags that do not form the group, since executor ${executor} sets this one for each pod`,
          fix: "Remove it, or set multinode.executor to custom.",
        };
      }
    }
  },
};

const containerLists = (spec: {
  containers: readonly C[];
  initContainers?: readonly C[] | undefined;
}) =>
  [
    ["containers", spec.containers],
    ["initContainers", spec.initContainers ?? []],
  ] as const;

type C = {
  ports?: ReadonlyArray<{ containerPort: number; name?: string | undefined }> | undefined;
  resources?: Resources | undefined;
};

export const roleRules: ReadonlyArray<Invariant<PartialSpec>> = [
  serviceHasInferenceRole,
  prefillersAndDecodersPair,
  pairScalesTogether,
  minReplicasWithinReplicas,
  podCountFits,
  multiNodeHasAccelerators,
  acceleratorsAreWhole,
  groupPortIsFree,
  engineStartsAsArgv,
  executorFitsEngine,
  executorIsNotContradicted,
  leaderProbesAskTheEngine,
  engineListensOnThePod,
  pairTransfers,
];
