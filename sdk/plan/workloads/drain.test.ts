import { describe, expect, it } from "vitest";
import {
  output,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../../testing/samples/sample-service.ts";
import type { PodSpec, PodTemplate } from "../../schemas/pod-template.ts";
import { planInferenceService } from "../inference-service.ts";

type Planned = {
  spec: { leaderWorkerTemplate: { leaderTemplate?: PodTemplate; workerTemplate: PodTemplate } };
};

function pods(fields: object, role: object = {}, pod: object = {}) {
  const { spec } = vllmTemplate(8, { image: "vllm/vllm-openai:v0.30.0", ...fields });
  const template = { spec: { ...spec, ...pod } };
  const plan = planInferenceService(
    service([worker({ template, drainSeconds: 600, ...role }), router()]),
  );
  const set = plan.find(({ kind }) => kind === "LeaderWorkerSet") as unknown as Planned;
  const { leaderTemplate, workerTemplate } = set.spec.leaderWorkerTemplate;
  return { leader: leaderTemplate?.spec, worker: workerTemplate.spec };
}

/** Returns the grace period, the value of --shutdown-timeout and the preStop command of a pod. */
function ending(pod: PodSpec | undefined) {
  const [engine] = pod?.containers ?? [];
  const { lifecycle, args = [] } = engine as unknown as {
    lifecycle?: { preStop?: { exec?: { command: string[] } } };
    args?: string[];
  };
  const at = args.lastIndexOf("--shutdown-timeout");
  return {
    grace: pod?.terminationGracePeriodSeconds,
    timeout: at < 0 ? undefined : args[at + 1],
    preStop: lifecycle?.preStop?.exec?.command.slice(0, 2).join(" "),
  };
}

const nothing = { grace: undefined, timeout: undefined, preStop: undefined };
const args = (...more: unknown[]) => ({ args: ["--model", "m", ...more] });
const hook = { preStop: { exec: { command: ["sleep", "30"] } } };
const vllmServe = (seconds: string) => ({
  command: ["vllm", "serve"],
  args: ["m", "--shutdown-timeout", seconds],
});
const sglang = {
  image: "lmsysorg/sglang:v0.5.5",
  args: ["--model-path", "m", "--host", "0.0.0.0"],
};

describe("drain of a single pod", () => {
  it.each<[what: string, pod: PodSpec, ends: object]>([
    [
      "vLLM drains for ten minutes",
      pods({}).worker,
      { grace: 635, timeout: "600", preStop: "sleep 5" },
    ],
    [
      "drainSeconds of the role sets the time",
      pods({}, { drainSeconds: 60 }).worker,
      { grace: 95, timeout: "60", preStop: "sleep 5" },
    ],
    ["drainSeconds 0 plans no drain", pods({}, { drainSeconds: 0 }).worker, nothing],
    [
      "a grace period of the template bounds the drain",
      pods({}, {}, { terminationGracePeriodSeconds: 600 }).worker,
      { grace: 600, timeout: "565", preStop: "sleep 5" },
    ],
    [
      "a short grace period leaves no time to drain",
      pods({}, {}, { terminationGracePeriodSeconds: 30 }).worker,
      { grace: 30, timeout: undefined, preStop: "sleep 5" },
    ],
    [
      "the grace period follows the template's own drain",
      pods(args("--shutdown-timeout", "120")).worker,
      { grace: 155, timeout: "120", preStop: "sleep 5" },
    ],
    [
      "a preStop hook of the template stays",
      pods({ lifecycle: hook }).worker,
      { grace: 635, timeout: "600", preStop: "sleep 30" },
    ],
    [
      "a value that is known later is left alone",
      pods(args("--shutdown-timeout", output())).worker,
      { ...nothing, timeout: output() },
    ],
    [
      "SGLang drains by itself",
      pods(sglang).worker,
      { grace: 635, timeout: undefined, preStop: "sleep 5" },
    ],
    ["vLLM before 0.18 cannot drain", pods({ image: "vllm/vllm-openai:v0.17.1" }).worker, nothing],
    ["an unknown version gets no flag", pods({ image: "vllm/vllm-openai:latest" }).worker, nothing],
    [
      "an image of unknown version keeps the flag of its command",
      pods({ image: "ghcr.io/llm-d/llm-d-cuda:v0.9.0", ...vllmServe("120") }).worker,
      { grace: 155, timeout: "120", preStop: "sleep 5" },
    ],
    [
      "a script gets no flag",
      pods({ command: ["sh", "-c", "vllm serve m"], args: undefined }).worker,
      nothing,
    ],
    ["another engine is left alone", pods({ image: "engine:1" }).worker, nothing],
  ])("%s", (_, pod, ends) => {
    expect(ending(pod)).toEqual(ends);
  });
});

describe("drain of a group", () => {
  const multinode = { nodeCount: 2 };

  it.each([
    ["vLLM", {}, "600", "29500"],
    ["SGLang", sglang, undefined, "20000"],
  ])("workers of %s wait until their leader has drained", (_, fields, timeout, port) => {
    const { leader, worker: other } = pods(fields, { multinode });
    expect(ending(leader)).toEqual({ grace: 635, timeout, preStop: "sleep 5" });
    expect(ending(other)).toMatchObject({ grace: 635, preStop: "python3 -c" });
    expect(JSON.stringify(other.containers[0]?.lifecycle)).toContain(port);
  });

  it.each([
    ["Ray's script gets no flag", { image: "vllm/vllm-openai:v0.11.0" }, multinode],
    ["a group that the template forms is left alone", {}, { ...multinode, executor: "custom" }],
  ])("%s", (_, fields, groups) => {
    const { leader, worker: other } = pods(fields, { multinode: groups });
    expect(ending(leader)).toEqual(nothing);
    expect(ending(other)).toEqual(nothing);
  });
});
