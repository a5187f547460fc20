import { expect, it } from "vitest";
import { loadOf } from "./picker-load.ts";

it.each([
  [
    "the newer metric names",
    'llm_d_epp_ready_endpoints{name="p"} 3\nllm_d_epp_average_queue_size{name="p"} 1.5\ninference_pool_ready_pods{name="p"} 9',
    { readyEndpoints: 3, averageQueueSize: 1.5 },
  ],
  [
    "the older metric names",
    'inference_pool_ready_pods{name="p"} 2\ninference_pool_average_queue_size{name="p"} 4',
    { readyEndpoints: 2, averageQueueSize: 4 },
  ],
  [
    "the queues of all flows in the picker",
    'llm_d_epp_ready_endpoints{name="p"} 4\nllm_d_epp_average_queue_size{name="p"} 1\nllm_d_epp_flow_control_queue_size{fairness_id="a"} 5\nllm_d_epp_flow_control_queue_size{fairness_id="b"} 3',
    { readyEndpoints: 4, averageQueueSize: 3 },
  ],
  [
    "a pool without endpoints",
    "llm_d_epp_ready_endpoints 0",
    { readyEndpoints: 0, averageQueueSize: 0 },
  ],
  ["no load from another page", "up 1", undefined],
  ["no load from an invalid number", "llm_d_epp_ready_endpoints NaN", undefined],
])("reads %s", (_, page, load) => {
  expect(loadOf(Buffer.from(page))).toEqual(load);
});
