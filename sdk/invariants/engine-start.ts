import { isScript } from "../command-line/started-programs.ts";
import { notKnown } from "../engines/arguments.ts";
import { argumentsOf, engineNameOf, engines } from "../engines/index.ts";
import { loopbackHost } from "../engines/server.ts";
import { groupSupportOf } from "../engines/vllm-images.ts";
import { executors, executorsFor } from "../executors/index.ts";
import type { Invariant } from "../invariant.ts";
import { isMultiNode } from "../spec/role.ts";
import { containersOf } from "../topology/containers.ts";
import { engineIndexOf, engineOf, serversOf } from "../topology/engine-container.ts";
import { bootstrapOf, executorOf } from "../topology/executor.ts";
import { argumentsPath } from "./arguments-path.ts";
import { probesOfGroupPort } from "./leader-probes.ts";
import { inferenceRoles, type PartialSpec } from "./partial-spec.ts";

/** Rules on how the engine of a role is started: its command, its flags, its ports and its probes. */

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
      const pod = ["roles", index, "template", "spec"];
      for (const { container, path } of containersOf(role.template.spec, pod)) {
        for (const [at, port] of (container.ports ?? []).entries()) {
          if (port.containerPort !== groupPort.port && port.name !== groupPort.name) continue;
          yield {
            path: [...path, "ports", at],
            given: `declares port ${port.containerPort}${port.name === undefined ? "" : ` (${port.name})`}`,
            allowed: `any port but ${groupPort.port} (${groupPort.name}), where ${groupPort.user}`,
            fix: "Serve on another port, or choose executor: custom.",
          };
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
      if (!isScript(engineOf(spec))) continue;
      yield {
        path: ["roles", index, "template", "spec", "containers", at, "command"],
        given: "is a shell script",
        allowed: `the engine's command as a list, since executor ${executor} adds flags to it`,
        fix: "Give the command without a shell, or set multinode.executor to custom and form the group in the script.",
      };
    }
  },
};

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
      const own = executorsFor(started);
      yield {
        path: ["roles", index, "multinode", "executor"],
        given: `is ${executor}, and the template starts ${engines[started].title}`,
        allowed: [...own, "custom"].join(" or "),
        fix:
          own.length === 0
            ? "Choose custom and write the arguments yourself."
            : "Leave executor out, or choose custom and write the arguments yourself.",
      };
    }
  },
};

const executorIsKnown: Invariant<PartialSpec> = {
  id: "executor-is-known",
  title: "How the pods of a replica form one engine is known",
  why: "Images of vLLM contain Ray up to 0.17 and can do without it from 0.11.1 on: with the wrong one of the two every container of the group ends at once, and the group restarts forever.",
  source: "vLLM's releases on PyPI: requirements/cuda.txt, vllm/engine/arg_utils.py",
  code: "reference",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      if (!isMultiNode(role) || executorOf(role) !== undefined) continue;
      const engine = engineOf(role.template.spec);
      const name = engineNameOf(engine);
      yield {
        path: ["roles", index, "multinode", "executor"],
        given:
          name === undefined
            ? "is left out, and the template does not contain which engine it starts"
            : name === "vllm"
              ? `is left out, and the tag of the image${typeof engine.image === "string" ? ` ${engine.image}` : ""} does not contain vLLM's version`
              : `is left out, and the plan forms no groups of ${engines[name].title}`,
        allowed: groupWays,
        fix: "Set executor.",
      };
    }
  },
};

const groupWays =
  "mp (vLLM from 0.11.1 on), ray (images that contain Ray), sglang, or custom for a command that forms the group itself";

const rayIsInTheImage: Invariant<PartialSpec> = {
  id: "ray-is-in-the-image",
  title: "A group that Ray forms has an image that contains Ray",
  why: "vLLM's own images contain no Ray from 0.18 on: both containers end with 'ray: not found', and the group restarts forever.",
  source: "vLLM's releases on PyPI: requirements/cuda.txt",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { image } = engineOf(role.template.spec);
      if (executorOf(role) !== "ray" || groupSupportOf(image).ray !== false) continue;
      yield {
        path: ["roles", index, "multinode", "executor"],
        given: `is ray, and ${image} contains no Ray`,
        allowed: "mp, or an image that contains Ray",
        fix: "Leave executor out for mp, install Ray in an image of your own, or use vllm/vllm-openai:v0.17.1 or older.",
      };
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
      const args = argumentsOf(engineOf(spec));
      const path = argumentsPath(index, spec);
      for (const [flag, value] of Object.entries(bootstrap.fixedFlags)) {
        const written = args.written(flag);
        if (written === undefined || written === notKnown || written === value) continue;
        yield {
          path,
          given: `set ${flag} ${written}`,
          allowed: `${value}, the role's multinode.executor`,
          fix: "Remove the flag, or set multinode.executor to match.",
        };
      }
      for (const flag of bootstrap.ownFlags.filter((name) => args.has(name))) {
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
      const isWritten = argumentsOf(engineOf(spec)).has("--host");
      yield {
        path: argumentsPath(index, spec),
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

/** Options with which every pod of a group serves, and not its leader alone. */
const balancedOutside = [
  "--data-parallel-external-lb",
  "--data-parallel-hybrid-lb",
  "--data-parallel-multi-port-external-lb",
  "--data-parallel-rank",
] as const;

const groupServesByItsLeader: Invariant<PartialSpec> = {
  id: "group-serves-by-its-leader",
  title: "The ranks of a group serve by its leader",
  why: "The pool has the leader of each group. With a load balancer outside of vLLM every pod serves a part of the ranks, and the workers' ranks would get no request.",
  source: "vLLM, data parallel deployment: internal, hybrid and external load balancing",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      if (!isMultiNode(role)) continue;
      const { spec: pod } = role.template;
      const args = argumentsOf(engineOf(pod));
      for (const option of balancedOutside.filter((each) => args.written(each) !== undefined)) {
        if (args.written(option) === "false") continue;
        yield {
          path: argumentsPath(index, pod),
          given: `set ${option} in a group of several pods`,
          allowed: "vLLM's internal load balancing, by which the leader serves all ranks",
          fix: "Remove it and keep --data-parallel-size, or leave multinode out and make each rank a replica.",
        };
      }
    }
  },
};

export const engineStartRules: ReadonlyArray<Invariant<PartialSpec>> = [
  groupPortIsFree,
  engineStartsAsArgv,
  executorIsKnown,
  groupServesByItsLeader,
  rayIsInTheImage,
  executorFitsEngine,
  executorIsNotContradicted,
  leaderProbesAskTheEngine,
  engineListensOnThePod,
];
