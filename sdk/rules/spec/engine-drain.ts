import { drainOf } from "../../engines/containers/drain.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { executorOf } from "../../engines/containers/executor.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { Invariant } from "../../invariant.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../../spec/inference-service.ts";
import type { InferenceRole } from "../../spec/role.ts";
import { takesArguments } from "../../topology/decode-sidecar.ts";

export const enginesFinishTheirAnswers: Invariant<InferenceServiceSpec> = {
  id: "engines-finish-their-answers",
  title: "An engine finishes its running responses when its pod is stopped",
  why: "vLLM before 0.18, and later versions without --shutdown-timeout, abort running responses at SIGTERM. Every rollout, scale-down and node drain cuts them off.",
  source: "vLLM's releases on PyPI: vllm/engine/arg_utils.py, --shutdown-timeout, default 0",
  code: "reference",
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const fault = role.drainSeconds === 0 ? undefined : faultOf(role);
      if (fault === undefined) continue;
      const [reason, allowed, fix] = fault;
      yield {
        path: ["roles", spec.roles.indexOf(role), "drainSeconds"],
        given: `is ${role.drainSeconds}, and ${reason}: rollouts, scale-downs and node drains cut off running responses`,
        allowed,
        fix,
      };
    }
  },
};

type Fault = readonly [reason: string, allowed: string, fix: string];

/** Returns why the plan cannot make a role's engine drain, with the allowed value and the fix. Undefined if it can. */
function faultOf(role: InferenceRole): Fault | undefined {
  const { template, drainSeconds } = role;
  const engine = engineOf(template.spec);
  const name = engineNameOf(engine);
  const way = name && engines[name].drain;
  if (name === undefined || way === undefined) return undefined;
  const byHand = "write lifecycle.preStop and set drainSeconds to 0";
  if (executorOf(role) === "custom") {
    const { terminationGracePeriodSeconds: grace } = template.spec as Ending;
    if (grace !== undefined) return undefined;
    return [
      "the plan adds no drain to a group with executor custom",
      "terminationGracePeriodSeconds in the template",
      "Set terminationGracePeriodSeconds, and keep workers running longer than their leader with lifecycle.preStop; or set drainSeconds to 0.",
    ];
  }
  if (way.option === undefined) return undefined;
  const drain = drainOf(engine);
  const write = `Add "--shutdown-timeout", "${drainSeconds}"`;
  if (drain === undefined)
    return engines[name].versionOf(engine.image) === undefined
      ? [
          "the image's tag does not contain the vLLM version",
          "a command with --shutdown-timeout, or vllm/vllm-openai with tag v0.18 or later",
          `${write} if the image contains vLLM 0.18 or later; otherwise ${byHand}.`,
        ]
      : [
          "vLLM before 0.18 has no --shutdown-timeout",
          "an image whose tag is v0.18 or later",
          `Use a newer image, or ${byHand}.`,
        ];
  const { flag = "" } = drain;
  const isSet = argumentsOf(engine).value(flag) !== undefined;
  if (isSet || (takesArguments(engine) && executorOf(role) !== "ray")) return undefined;
  return [
    "the plan cannot add --shutdown-timeout to this command",
    "a command with --shutdown-timeout",
    `${write}, or set drainSeconds to 0.`,
  ];
}

interface Ending {
  readonly terminationGracePeriodSeconds?: unknown;
}
