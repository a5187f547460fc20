import { z } from "zod";
import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { drainOf } from "../../engines/containers/drain.ts";
import { argumentsOf } from "../../engines/index.ts";
import { whatIsKnown } from "../../engines/options/arguments.ts";
import { engineOfPods } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** Default grace period of a pod, in seconds (k8s.io/kubernetes, DefaultTerminationGracePeriodSeconds). */
const defaultGrace = 30;

const answersEndBeforePods = objectRule(
  { id: "pods-drain-before-they-stop", code: "count", level: "advisory" },
  {
    title: "An engine has time to finish its running responses when its pod is stopped",
    why: "Without --shutdown-timeout vLLM aborts running responses at SIGTERM, and the kubelet kills any engine at the end of the grace period. Every rollout and node drain then cuts off responses.",
    source:
      "vLLM, --shutdown-timeout, default 0; SGLang, SIGTERM handler; k8s.io/kubernetes, terminationGracePeriodSeconds",
    fix: "Set --shutdown-timeout (vLLM) to the duration of the longest response in seconds, and terminationGracePeriodSeconds to more than that.",
    parameters: z.object({
      answerSeconds: z
        .int()
        .min(0)
        .default(60)
        .describe("Duration of the longest response, in seconds."),
    }),
  },
  eachPodTemplate,
  function* (pods, { parameters: { answerSeconds } }) {
    const engine = pods.isWorker ? undefined : engineOfPods(pods);
    const drain = engine && drainOf(engine.container);
    if (engine === undefined || drain === undefined) return;
    const { terminationGracePeriodSeconds: grace } = pods.spec;
    const timeout = drain.flag && argumentsOf(engine.container).value(drain.flag);
    if (drain.flag !== undefined && (timeout === undefined || timeout === "0")) {
      yield {
        path: [...engine.path, argumentsField(engine.container)],
        given: `leave ${drain.flag} at 0, which aborts running responses at SIGTERM`,
        allowed: `at least ${answerSeconds} s`,
        fix: `Add "${drain.flag}", "${answerSeconds}".`,
      };
      return;
    }
    const needed = timeout === undefined ? answerSeconds : Number(whatIsKnown(timeout));
    if (Number.isNaN(needed) || (grace ?? defaultGrace) >= needed) return;
    yield {
      path: [...pods.path, "spec", "terminationGracePeriodSeconds"],
      given: grace === undefined ? `is missing, so it is ${defaultGrace} s` : `is ${grace} s`,
      allowed: `at least ${needed} s, the time that running responses may take`,
      fix: "Raise terminationGracePeriodSeconds.",
    };
  },
);

export const drainRules: readonly StackRule[] = [answersEndBeforePods];
