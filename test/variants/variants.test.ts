import { expect, it } from "vitest";
import { expose } from "../../runtime/manager/metrics/exposition.ts";
import { cycleOf, endpointsWith } from "../../scheduling/cycles.fixture.ts";
import { torchrun } from "./executor.fixture.ts";
import { exampleGateway } from "./gateway.fixture.ts";
import { retries } from "./metric.fixture.ts";
import { idleScorer } from "./scorer.fixture.ts";

/** Parts that contributors add, each written against its interface only. `npm run lint` compiles them. */

it("a scorer of one file scores endpoints with its default parameter", () => {
  const { scorer } = idleScorer.create(idleScorer.parameters.parse({}) as never, {} as never);
  const endpoints = endpointsWith({ runningRequests: 0 }, { runningRequests: 3 });
  expect(scorer?.score(cycleOf(endpoints), endpoints)).toEqual([1, 0]);
});

it("an executor of one file adds its flags to the engine of each pod", () => {
  const { bootstrap } = torchrun;
  const engine = { command: ["vllm", "serve", "m"] };
  expect(bootstrap.leader(engine, 2)).toMatchObject({ args: ["--nnodes", "2"] });
  expect(bootstrap.worker(engine, 2)).toMatchObject({
    args: ["--nnodes", "2", "--master-addr", "$(LWS_LEADER_ADDRESS)"],
  });
});

it("a gateway of one file plans its object for a pool", () => {
  const pool = {
    ...{ name: "p", namespace: "ns", targetPorts: [8000], isTls: false },
    picker: { name: "p-epp", port: 9002 },
    metadata: (name: string) => ({ name, namespace: "ns" }),
  };
  expect(exampleGateway.pools.objects(pool)).toEqual([
    {
      apiVersion: "gateway.example.com/v1",
      kind: "PickerPolicy",
      metadata: { name: "p-picker", namespace: "ns" },
      spec: { service: "p-epp" },
    },
  ]);
});

it("a metric of one family is written in Prometheus' text format", () => {
  retries.series("llama").value += 2;
  expect([...expose(retries)].join("")).toBe(
    "# HELP pulumi_inference_example_retries_total Requests that were sent again.\n" +
      "# TYPE pulumi_inference_example_retries_total counter\n" +
      'pulumi_inference_example_retries_total{model_name="llama"} 2\n',
  );
});
