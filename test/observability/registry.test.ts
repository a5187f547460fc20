import { expect, it } from "vitest";
import { metrics } from "../../sdk/observability/metrics.ts";
import { SimulatedPicker } from "./simulated-picker.ts";

it.each(Object.values(metrics))("the picker exposes $name with the registry's labels", (family) => {
  const exposed = new SimulatedPicker(Math.random).families.find(
    ({ name }) => name === family.name,
  );
  expect(exposed).toMatchObject({ type: family.type, labels: family.labels });
});
