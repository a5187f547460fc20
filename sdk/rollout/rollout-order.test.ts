import { expect, it } from "vitest";
import { decoder, prefiller, service } from "../../testing/samples/sample-service.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import { rolloutOrder } from "./rollout-order.ts";
import { plannedSetOf } from "./set-state.ts";

const multinode = { nodeCount: 2 };

it.each([
  [2, 4, "decode-0 prefill-0 decode-1 decode-2 prefill-1 decode-3"],
  [1, 3, "decode-0 decode-1 prefill-0 decode-2"],
  [1, 1, "prefill-0 decode-0"],
])("updates %i prefillers and %i decoders in equal shares", (prefillers, decoders, order) => {
  const plan = planInferenceService(
    service([prefiller({ replicas: prefillers }), decoder({ replicas: decoders, multinode })]),
  );
  const sets = plan.filter(({ kind }) => kind === "LeaderWorkerSet");
  const names = rolloutOrder(sets.map(plannedSetOf)).map(({ name }) => name);
  expect(names.join(" ").replaceAll("svc-", "")).toBe(order);
});
