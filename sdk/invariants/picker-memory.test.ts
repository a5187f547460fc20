import { expect, it } from "vitest";
import { router, service, worker } from "../../testing/sample-service.ts";
import { formatPath, type Problem } from "../errors.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { PlanOptions } from "../plan/options.ts";
import { planSharedEndpointPicker } from "../plan/picker/shared-picker.ts";
import { planLLMServerPool } from "../plan/pools/pool.ts";
import { llmServerPoolSpecKind } from "../validate/pools.ts";
import { sharedEndpointPickerSpecKind } from "../validate/shared-endpoint-picker.ts";
import { parseKind } from "../validate/spec-kind.ts";

/** What is said of the room that pickers have. */
function told(plan: (options: PlanOptions) => unknown): string[] {
  const said: Problem[] = [];
  plan({ onAdvice: (problem) => said.push(problem) });
  return said
    .filter(({ path }) => path.includes("resources"))
    .map(({ path, given, allowed }) => `${formatPath(path)} ${given}; ${allowed}`);
}

const metadata = { name: "p", namespace: "default" };
const limited = (memory: string) => ({ resources: { limits: { memory } } });

const ofShared = (spec: object) =>
  told((options) =>
    planSharedEndpointPicker(parseKind(sharedEndpointPickerSpecKind, { metadata, spec }), options),
  );

const ofPool = (endpointPicker: object) =>
  told((options) =>
    planLLMServerPool(
      parseKind(llmServerPoolSpecKind, {
        metadata,
        spec: { modelServerSelector: { app: "a" }, endpointPicker },
      }),
      options,
    ),
  );

const ofRouter = (fields: object) =>
  told((options) => planInferenceService(service([worker(), router(fields)]), options));

it("a picker of one pool whose limit of memory is less than it takes is warned of", () => {
  const warned = "resources.limits.memory is 191Mi; at least 192Mi";
  expect(ofPool(limited("191Mi"))).toEqual([`endpointPicker.${warned}`]);
  expect(ofRouter(limited("191Mi"))).toEqual([`roles[1].${warned}`]);
  expect(ofShared({ ports: { count: 1 }, ...limited("191Mi") })).toEqual([warned]);
});

it("the more ports a shared picker has, the more room it needs", () => {
  expect(ofShared({ ports: { count: 1_000 }, ...limited("300Mi") })).toEqual([
    "resources.limits.memory is 300Mi, and there are ports for 1000 pools; at least 392Mi",
  ]);
  expect(ofShared({ ports: { count: 1_000 }, ...limited("392Mi") })).toEqual([]);
});

it.each([{}, limited("192Mi"), { resources: { limits: { cpu: 1 } } }, { resources: {} }])(
  "a picker has room with %j",
  (fields) => {
    expect([...ofPool(fields), ...ofRouter(fields)]).toEqual([]);
    expect(ofShared({ ports: { count: 1 }, ...fields })).toEqual([]);
  },
);

it("the largest shared picker has room by default", () => {
  expect(ofShared({ ports: { count: 1_000 } })).toEqual([]);
});
