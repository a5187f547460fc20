import { isScript } from "../../engines/command-line/started-programs.ts";
import { containersOf } from "../../engines/containers/containers.ts";
import { engineIndexOf, engineOf } from "../../engines/containers/engine-container.ts";
import { bootstrapOf, executorOf, isMultiNode } from "../../engines/containers/executor.ts";
import { executors, executorsFor } from "../../engines/groups/index.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import { notKnown } from "../../engines/options/arguments.ts";
import { groupSupportOf } from "../../engines/vllm/images.ts";
import { orList } from "../../errors.ts";
import type { Invariant } from "../../invariant.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";
import { probesOfGroupPort } from "../helpers/leader-probes.ts";
import { inferenceRoles, type PartialSpec } from "../helpers/partial-spec.ts";
import { enginesListenOnThePod, loopbackProblem } from "./engine-address.ts";

/** Rules on how a role starts its engine: command, flags, ports and probes. */

const groupPortIsFree: Invariant<PartialSpec> = {
  id: "group-port-is-free",
  title: "No container declares the port that the pods of a replica use to form their group",
  why: "The plan adds this port to the leader. If a container uses it too, the group cannot form.",
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
            allowed: `any port except ${groupPort.port} (${groupPort.name}), on which ${groupPort.user}`,
            fix: "Use another port, or set multinode.executor to custom.",
          };
        }
      }
    }
  },
};

const engineStartsAsArgv: Invariant<PartialSpec> = {
  id: "engine-command-is-argv",
  title: "The command of a multi-node role starts the engine itself, not a shell script",
  why: "The plan appends the flags that form the group to the engine's command. If the command is a script, the shell receives them instead.",
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
        allowed: `the engine's command as a list, because executor ${executor} adds flags to it`,
        fix: "Write the command without a shell, or set multinode.executor to custom and form the group in the script.",
      };
    }
  },
};

const executorFitsEngine: Invariant<PartialSpec> = {
  id: "executor-fits-the-engine",
  title: "The executor of a group supports the engine that the template starts",
  why: "SGLang supports neither Ray nor vLLM's flags, and vLLM does not support SGLang's flags. The engine would exit at the first unknown argument.",
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
        given: `is ${executor}, but the template starts ${engines[started].title}`,
        allowed: orList([...own, "custom"]),
        fix:
          own.length === 0
            ? "Set executor to custom and write the arguments yourself."
            : "Remove executor, or set it to custom and write the arguments yourself.",
      };
    }
  },
};

const executorIsKnown: Invariant<PartialSpec> = {
  id: "executor-is-known",
  title: "The plan knows how the pods of a replica form one engine",
  why: "vLLM images up to 0.17 contain Ray, and vLLM from 0.11.1 on can run without it. With the wrong executor every container of the group exits immediately, and the group restarts forever.",
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
            ? "is missing, and the template does not show which engine it starts"
            : executorsFor(name).length === 0
              ? `is missing, and the plan cannot form groups of ${engines[name].title}`
              : `is missing, and the tag of the image${typeof engine.image === "string" ? ` ${engine.image}` : ""} does not contain the ${engines[name].title} version`,
        allowed: groupWays,
        fix: "Set multinode.executor.",
      };
    }
  },
};

const groupWays =
  "mp (vLLM 0.11.1 or later), ray (images that contain Ray), sglang, or custom if the command forms the group itself";

const rayIsInTheImage: Invariant<PartialSpec> = {
  id: "ray-is-in-the-image",
  title: "The image of a group with executor ray contains Ray",
  why: "vLLM's images from 0.18 on do not contain Ray. Both containers exit with 'ray: not found', and the group restarts forever.",
  source: "vLLM's releases on PyPI: requirements/cuda.txt",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { image } = engineOf(role.template.spec);
      if (executorOf(role) !== "ray" || groupSupportOf(image).ray !== false) continue;
      yield {
        path: ["roles", index, "multinode", "executor"],
        given: `is ray, but ${image} does not contain Ray`,
        allowed: "mp, or an image that contains Ray",
        fix: "Remove executor to use mp, build an image that contains Ray, or use vllm/vllm-openai:v0.17.1 or older.",
      };
    }
  },
};

const executorIsNotContradicted: Invariant<PartialSpec> = {
  id: "executor-is-not-contradicted",
  title: "The engine's flags do not contradict the role's executor",
  why: "An engine with a different backend, rank or address never connects to its workers.",
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
          allowed: `${value}, the value for the role's multinode.executor`,
          fix: "Remove the flag, or set multinode.executor to match.",
        };
      }
      for (const flag of bootstrap.ownFlags.filter((name) => args.has(name))) {
        yield {
          path,
          given: `set ${flag}`,
          allowed: `no ${flag} in the template, because executor ${executor} sets it for each pod`,
          fix: "Remove the flag, or set multinode.executor to custom.",
        };
      }
    }
  },
};

const leaderProbesAskTheEngine: Invariant<PartialSpec> = {
  id: "leader-probes-ask-the-engine",
  title: "A leader's probes use the port that serves the model, not the port that forms the group",
  why: "Ray's port opens long before the model is loaded, so the leader would get requests while it loads.",
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
  ...enginesListenOnThePod,
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { spec } = role.template;
      const problem = loopbackProblem(engineOf(spec), spec);
      if (problem !== undefined) yield { path: argumentsPath(index, spec), ...problem };
    }
  },
};

/** Options that make every pod of a group serve requests, not only its leader. */
const balancedOutside = [
  "--data-parallel-external-lb",
  "--data-parallel-hybrid-lb",
  "--data-parallel-multi-port-external-lb",
  "--data-parallel-rank",
] as const;

const groupServesByItsLeader: Invariant<PartialSpec> = {
  id: "group-serves-by-its-leader",
  title: "The leader of a group receives all of the group's requests",
  why: "The pool contains only the leader of each group. With an external load balancer every pod serves its own ranks, and the workers' ranks would get no requests.",
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
          allowed: "vLLM's internal load balancing, in which the leader serves all ranks",
          fix: `Remove ${option} and keep --data-parallel-size, or remove multinode and make each rank a replica.`,
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
