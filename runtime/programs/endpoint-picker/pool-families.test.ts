import { expect, it } from "vitest";
import { expose } from "../../manager/metrics/exposition.ts";
import { counters, gauges } from "../../manager/metrics/family.ts";
import { poolFamilies } from "./pool-families.ts";

it("families of one name are merged, with the pool's name in each series", () => {
  const requests = () => counters({ name: "requests", help: "R.", labels: ["model"] });
  const told = () => gauges({ name: "queue", help: "Q.", labels: ["inference_pool"] });
  const [a, b, queue] = [requests(), requests(), told()];
  a.series("m").value = 1;
  b.series("m").value = 2;
  queue.series("a").value = 3;
  const families = poolFamilies(
    new Map([
      ["a", [a, queue]],
      ["b", [b]],
    ]),
  );
  expect(families.map((family) => [...expose(family)].join("")).join("")).toBe(
    [
      "# HELP requests R.",
      "# TYPE requests counter",
      'requests{model="m",inference_pool="a"} 1',
      'requests{model="m",inference_pool="b"} 2',
      "# HELP queue Q.",
      "# TYPE queue gauge",
      'queue{inference_pool="a"} 3',
      "",
    ].join("\n"),
  );
});
