import { expect, it } from "vitest";
import { parseKind } from "../../validate/spec-kind.ts";
import { controllersSpecKind } from "../../validate/spec-kinds.ts";
import { planControllers } from "./controllers.ts";

const planned = (spec: object) =>
  JSON.stringify(
    planControllers(
      parseKind(controllersSpecKind, { metadata: { name: "c", namespace: "n" }, spec }),
    ),
  );

it.each([
  [{}, false],
  [{ recyclesPods: false }, false],
  [{ recyclesPods: true }, true],
])("spec %j lets the status controller delete pods: %s", (spec, expected) => {
  expect(planned(spec).includes('"--recycle-pods"')).toBe(expected);
  expect(planned(spec).includes('"resources":["pods"],"verbs":["delete"]')).toBe(expected);
  expect(planned(spec).includes('"name":"inference-status-controller-pods"')).toBe(expected);
});
