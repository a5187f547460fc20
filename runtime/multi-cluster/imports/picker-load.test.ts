import { expect, it } from "vitest";
import { loadOf } from "./picker-load.ts";

it.each([
  [
    "the newer names",
    'llm_d_epp_ready_endpoints{name="p"} 3\nllm_d_epp_average_queue_size{name="p"} 1.5\ninference_pool_ready_pods{name="p"} 9',
    { readyEndpoints: 3, averageQueueSize: 1.5 },
  ],
  [
    "the older names",
    'inference_pool_ready_pods{name="p"} 2\ninference_pool_average_queue_size{name="p"} 4',
    { readyEndpoints: 2, averageQueueSize: 4 },
  ],
  [
    "what waits in the picker's own queues, of all flows",
    'llm_d_epp_ready_endpoints{name="p"} 4\nllm_d_epp_average_queue_size{name="p"} 1\nllm_d_epp_flow_control_queue_size{fairness_id="a"} 5\nllm_d_epp_flow_control_queue_size{fairness_id="b"} 3',
    { readyEndpoints: 4, averageQueueSize: 3 },
  ],
  [
    "no mean of no endpoints",
    "llm_d_epp_ready_endpoints 0",
    { readyEndpoints: 0, averageQueueSize: 0 },
  ],
  ["a page of something else", "up 1", undefined],
  ["nonsense", "llm_d_epp_ready_endpoints NaN", undefined],
])("reads %s", (_, page, load) => {
  expect(loadOf(Buffer.from(page))).toEqual(load);
});
