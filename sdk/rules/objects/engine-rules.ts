import { z } from "zod";
import {
  argumentsField,
  isScript,
  startedBy,
  wordsOf,
} from "../../engines/command-line/started-programs.ts";
import { groupPortIn } from "../../engines/groups/index.ts";
import { argumentsOf, engines } from "../../engines/index.ts";
import {
  jsonOf,
  notKnown,
  readArguments,
  unknownSyntax,
  whatIsKnown,
} from "../../engines/options/arguments.ts";
import { transferFlag } from "../../engines/options/kv-connectors.ts";
import {
  acceleratorsAreUsed,
  parallelismFits,
  parallelismOf,
  type RankRule,
  unfitParallelism,
  unusedAccelerators,
} from "../../engines/start-up/parallelism.ts";
import type { Finding } from "../../invariant.ts";
import {
  acceleratorsOfContainer,
  acceleratorsOfPods,
  containersOf,
  engineOfPods,
  type PodTemplateUse,
} from "../../stack/workloads.ts";
import {
  eachPodTemplate,
  eachWorkload,
  type Level,
  rulesOfPack,
  type StackRule,
} from "../helpers/stack-rule.ts";
import { pairSideOf, removedConnectors } from "../spec/kv-transfer.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const rankRule = (rule: RankRule, level: Level) =>
  objectRule(
    { ...rule, guidelines: ["G03"], level },
    {
      ...rule,
      fix: "Set tensor x pipeline x data parallel size to the number of accelerators of one replica.",
    },
    eachWorkload,
    function* ({ pods: [leader], size }) {
      const engine = leader && engineOfPods(leader);
      if (!leader || !engine) return;
      const gpus = acceleratorsOfPods(leader, "ranks") ?? 0;
      const problem =
        unfitParallelism(engine.container, gpus, size, rule) ??
        (rule === acceleratorsAreUsed && size === 1
          ? unusedAccelerators(
              engine.container,
              acceleratorsOfContainer(leader, engine.container) ?? 0,
            )
          : undefined);
      if (problem !== undefined)
        yield { path: [...engine.path, argumentsField(engine.container)], ...problem };
    },
  );

const copiesDivide = objectRule(
  { id: "data-parallel-size-divides", guidelines: ["G04"], code: "count" },
  {
    title: "Data-parallel ranks fill the pods of a replica evenly, without pipeline stages",
    why: "The engine numbers the ranks pod by pod. With a remainder the last pod waits for ranks that never start.",
    source:
      "KServe llm_inference_service_validation.go: data and dataLocal, data divisible, not with pipeline",
    fix: "Set --data-parallel-size to --data-parallel-size-local times the number of pods.",
  },
  eachWorkload,
  function* ({ pods: [leader], size }) {
    const engine = leader && engineOfPods(leader);
    const parallelism = engine && parallelismOf(engine.container);
    if (engine === undefined || parallelism === undefined) return;
    // Other engines do not number the copies pod by pod.
    if (engines[parallelism.engine].copies.dataLocal === undefined) return;
    const { data, dataLocal, pipeline } = parallelism;
    const args = argumentsOf(engine.container);
    // Ray places the copies itself, and a group with --nnodes divides them over its nodes.
    const isDivided = args.value("--data-parallel-backend") === "ray" || args.has("--nnodes");
    const wrong = (given: string, allowed: string): Finding => ({
      path: [...engine.path, argumentsField(engine.container)],
      given,
      allowed,
      fix: "Change the sizes, or the number of pods per replica.",
    });
    if (data > 1 && pipeline > 1)
      yield wrong("set both a data and a pipeline parallel size", "only one of the two");
    if (dataLocal === undefined) {
      if (size > 1 && data > 1 && !isDivided)
        yield wrong(
          "set --data-parallel-size for several pods, but not --data-parallel-size-local",
          "both",
        );
      return;
    }
    if (data === 1) return;
    if (dataLocal === 0 || data % dataLocal !== 0)
      yield wrong(
        `divide ${data} data-parallel ranks by ${dataLocal} per pod`,
        "a whole number of pods",
      );
    else if (data / dataLocal !== size)
      yield wrong(
        `distribute the data-parallel ranks over ${data / dataLocal} pods`,
        `${size}, the pods of a replica`,
      );
  },
);

const shellKeepsArguments = objectRule(
  { id: "shell-changes-no-argument", guidelines: ["G34"], code: "conflict" },
  {
    title: "A shell does not change JSON arguments",
    why: "The shell removes the quotes of unquoted JSON. The engine then rejects the argument, and the group restarts forever.",
    source: "POSIX shell, quote removal; vLLM --kv-transfer-config",
    fix: "Put the argument in single quotes, or start the engine without a shell.",
  },
  eachPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      if (!isScript(container)) continue;
      for (const { written, text: meant } of wordsOf(container)) {
        const value = written.replace(/^--[\w-]+=/, "");
        if (written === meant || !isJson(value)) continue;
        yield {
          path: [...path, argumentsField(container)],
          given: `contains ${brief(value)}, which the engine receives as ${brief(meant)}`,
          allowed: "JSON in single quotes",
          fix: `Quote it: '${brief(value)}'.`,
        };
      }
    }
  },
);

const isJson = (text: string): boolean => /^[{[]/.test(text) && jsonOf(text) !== undefined;

const brief = (text: string) => (text.length > 80 ? `${text.slice(0, 77)}...` : text);

/** Allowed values of kv_role in the transfer configuration, by component type. */
const kvRoles = {
  prefiller: ["kv_producer", "kv_both"],
  decoder: ["kv_consumer", "kv_both"],
} as const;

const transferFitsRole = objectRule(
  { id: "kv-transfer-fits-the-role", guidelines: ["G33"], code: "conflict", level: "advisory" },
  {
    title:
      "The KV cache transfer of a role is valid JSON and names a connector that the engine has",
    why: "A decoder with kv_role kv_producer never receives the blocks of a prompt, and an engine with an unknown connector does not start.",
    source: "vLLM, KVTransferConfig: kv_connector, kv_role; connectors of the V1 engine",
    fix: "Set kv_role to kv_producer on prefillers, to kv_consumer on decoders, or to kv_both, and set kv_connector to a connector of the engine version.",
    parameters: z.object({
      unknownConnectors: z
        .array(z.string())
        .default([...removedConnectors])
        .describe("Connectors that the engines in use do not have."),
    }),
  },
  eachPodTemplate,
  function* (pods, { parameters }) {
    const engine = engineOfPods(pods);
    const args = engine && argumentsOf(engine.container);
    const text = args && whatIsKnown(args.written(transferFlag));
    if (engine === undefined || text === undefined || !text.startsWith("{")) return;
    const path = [...engine.path, argumentsField(engine.container)];
    const config = args?.json(transferFlag);
    if (config === undefined || config === notKnown) {
      yield {
        path,
        given: `set ${transferFlag} to invalid JSON`,
        allowed: "a JSON object",
        fix: "Correct the JSON and its quotes.",
      };
      return;
    }
    const side = pairSideOf(pods.labels);
    const allowed = side && kvRoles[side];
    if (allowed !== undefined && !allowed.some((role) => role === config.kv_role)) {
      yield {
        path,
        given: `set kv_role ${String(config.kv_role)} on a ${side}`,
        allowed: allowed.join(" or "),
        fix: "Change kv_role to an allowed value.",
      };
    }
    if (parameters.unknownConnectors.some((name) => name === config.kv_connector)) {
      yield {
        path,
        given: `name the connector ${String(config.kv_connector)}`,
        allowed: "a connector of this engine version, such as NixlConnector",
        fix: "Change kv_connector, or remove the connector from this rule's unknownConnectors.",
      };
    }
  },
);

const leaderAddress = /LWS_LEADER_ADDRESS/;
/** Flags with the address at which the group forms. */
const meetingFlags = [
  "--address",
  "--ray_address",
  "--master-addr",
  "--dist-init-addr",
  "--data-parallel-address",
];

const workersMeetTheLeader = objectRule(
  { id: "workers-reach-their-leader", guidelines: ["G24"], code: "reference" },
  {
    title: "Workers connect to their own leader, on a port that does not serve requests",
    why: "With two groups, a fixed address is the leader of the wrong group. One port cannot both form the group and serve requests.",
    source: "sigs.k8s.io/lws: LWS_LEADER_ADDRESS; InferenceService design, Example 2",
    fix: "Use $(LWS_LEADER_ADDRESS) as the leader's address, and form the group on a port other than the serving port.",
  },
  eachWorkload,
  function* ({ set, pods: [leader, worker] }) {
    if (set === undefined || leader === undefined || worker === undefined) return;
    yield* fixedAddress(worker);
    yield* sharedPort(leader);
  },
);

function* fixedAddress(worker: PodTemplateUse): Iterable<Finding> {
  const engine = engineOfPods(worker);
  if (engine === undefined) return;
  const programs = startedBy(engine.container).programs.map(({ args }) =>
    readArguments(args, unknownSyntax),
  );
  for (const flag of meetingFlags) {
    const address = programs.map((args) => whatIsKnown(args.written(flag))).find(Boolean);
    if (address === undefined || leaderAddress.test(address)) continue;
    yield {
      path: [...engine.path, argumentsField(engine.container)],
      given: `set ${flag} ${address}`,
      allowed: "$(LWS_LEADER_ADDRESS), the leader of the same group",
      fix: "Replace the address with $(LWS_LEADER_ADDRESS).",
    };
  }
}

function* sharedPort(leader: PodTemplateUse): Iterable<Finding> {
  const engine = engineOfPods(leader);
  if (engine === undefined) return;
  const meeting = groupPortIn(engine.container);
  // Only the port named http counts as the serving port, because the plan declares the leader's group port too.
  const serving = engine.container.ports?.find(({ name }) => name === "http");
  if (meeting === undefined || serving?.containerPort !== meeting) return;
  yield {
    path: [...engine.path, argumentsField(engine.container)],
    given: `form the group on port ${meeting}, which also serves requests`,
    allowed: "a separate port",
    fix: "Change one of the two ports.",
  };
}

export const engineRules: readonly StackRule[] = [
  rankRule(parallelismFits, "mandatory"),
  rankRule(acceleratorsAreUsed, "advisory"),
  copiesDivide,
  shellKeepsArguments,
  transferFitsRole,
  workersMeetTheLeader,
];
