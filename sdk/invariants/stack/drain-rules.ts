import { z } from "zod";
import { argumentsField } from "../../command-line/started-programs.ts";
import { whatIsKnown } from "../../engines/arguments.ts";
import { drainOf } from "../../engines/drain.ts";
import { argumentsOf } from "../../engines/index.ts";
import { engineOfPods } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** The grace period of a pod that sets none (k8s.io/kubernetes, DefaultTerminationGracePeriodSeconds). */
const defaultGrace = 30;

const answersEndBeforePods = objectRule(
  { id: "pods-drain-before-they-stop", guidelines: [], code: "count", level: "advisory" },
  {
    title: "A pod that is stopped gives its engine the time to finish its running answers",
    why: "vLLM aborts running answers at SIGTERM unless --shutdown-timeout is set, and the kubelet kills every engine when the grace period is over: each rollout and node drain cuts answers.",
    source:
      "vLLM, --shutdown-timeout, default 0; SGLang, SIGTERM handler; k8s.io/kubernetes, terminationGracePeriodSeconds",
    fix: "Set --shutdown-timeout to the longest answer in seconds (vLLM), and terminationGracePeriodSeconds to more than that.",
    parameters: z.object({
      answerSeconds: z.int().min(0).default(60).describe("Time that the longest answer takes."),
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
        given: `leave ${drain.flag} at 0, which aborts running answers at SIGTERM`,
        allowed: `at least ${answerSeconds}`,
        fix: `Write "${drain.flag}", "${answerSeconds}".`,
      };
      return;
    }
    const needed = timeout === undefined ? answerSeconds : Number(whatIsKnown(timeout));
    if (Number.isNaN(needed) || (grace ?? defaultGrace) >= needed) return;
    yield {
      path: [...pods.path, "spec", "terminationGracePeriodSeconds"],
      given: grace === undefined ? `is left at ${defaultGrace}` : `is ${grace}`,
      allowed: `at least ${needed}, which running answers may take`,
      fix: "Raise it.",
    };
  },
);

export const drainRules: readonly StackRule[] = [answersEndBeforePods];
