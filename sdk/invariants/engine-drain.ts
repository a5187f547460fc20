import { drainOf } from "../engines/drain.ts";
import { argumentsOf, engineNameOf } from "../engines/index.ts";
import type { Invariant } from "../invariant.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../spec/inference-service.ts";
import type { InferenceRole } from "../spec/role.ts";
import { takesArguments } from "../topology/decode-sidecar.ts";
import { engineOf } from "../topology/engine-container.ts";
import { executorOf } from "../topology/executor.ts";

export const enginesFinishTheirAnswers: Invariant<InferenceServiceSpec> = {
  id: "engines-finish-their-answers",
  title: "An engine finishes its running answers when its pod is stopped",
  why: "vLLM before 0.18, and later versions without --shutdown-timeout, abort running answers at SIGTERM: every rollout, scale-down and node drain cuts them.",
  source: "vLLM's releases on PyPI: vllm/engine/arg_utils.py, --shutdown-timeout, default 0",
  code: "reference",
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const { drainSeconds, template } = role;
      const engine = engineOf(template.spec);
      if (drainSeconds === 0 || engineNameOf(engine) !== "vllm" || drains(role)) continue;
      const isOld = drainOf(engine) === undefined;
      yield {
        path: ["roles", spec.roles.indexOf(role), "drainSeconds"],
        given: isOld
          ? `is ${drainSeconds}, and the plan knows no --shutdown-timeout of the image: rollouts, scale-downs and node drains cut running answers`
          : `is ${drainSeconds}, and the plan cannot add --shutdown-timeout to the command: rollouts, scale-downs and node drains cut running answers`,
        allowed: isOld ? "an image whose tag is v0.18 or later" : "a command with the option",
        fix: isOld
          ? "Use a newer image, or write lifecycle.preStop and set drainSeconds to 0."
          : `Write "--shutdown-timeout", "${drainSeconds}", or set drainSeconds to 0.`,
      };
    }
  },
};

function drains(role: InferenceRole): boolean {
  const engine = engineOf(role.template.spec);
  const drain = drainOf(engine);
  if (drain?.flag === undefined) return drain !== undefined;
  const isSet = argumentsOf(engine).value(drain.flag) !== undefined;
  return isSet || (takesArguments(engine) && executorOf(role) !== "ray");
}
