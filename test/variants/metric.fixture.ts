import { counters } from "../../runtime/manager/metrics/family.ts";

/** A metric as a contributor would write it: a family, which a telemetry class lists and increments. */
export const retries = counters({
  name: "pulumi_inference_example_retries_total",
  help: "Requests that were sent again.",
  labels: ["model_name"],
});
