import { expect, it } from "vitest";
import { router, service, worker } from "../../../testing/samples/sample-service.ts";
import { formatPath, SpecError } from "../../errors.ts";
import { planInferenceService } from "../../plan/inference-service.ts";
import { parseKind, type SpecKind } from "../../validate/spec-kind.ts";
import {
  importedPoolSpecKind,
  inferencePoolSpecKind,
  llmServerPoolSpecKind,
  modelRouterSpecKind,
  sharedEndpointPickerSpecKind,
} from "../../validate/spec-kinds.ts";

/** Returns the problems that planning reports about `resources`. */
function refused(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return error.problems
      .filter(({ path }) => path.includes("resources"))
      .map(({ path, given, allowed }) => `${formatPath(path)} ${given}; ${allowed}`);
  }
  return [];
}

const metadata = { name: "p", namespace: "default" };
const limited = (memory: string) => ({ resources: { limits: { memory } } });

const of = (kind: SpecKind<unknown>, spec: object) =>
  refused(() => parseKind(kind, { metadata, spec }));
const ofShared = (spec: object) => of(sharedEndpointPickerSpecKind, spec);
const ofPool = (endpointPicker: object) => [
  ...of(llmServerPoolSpecKind, { modelServerSelector: { app: "a" }, endpointPicker }),
  ...of(inferencePoolSpecKind, { selector: { app: "a" }, endpointPicker }),
];
const ofRouter = (fields: object) =>
  refused(() => planInferenceService(service([worker(), router(fields)])));

const least = "resources.limits.memory is 319Mi; at least 320Mi";

it("programs that read requests need at least 320Mi of memory", () => {
  expect(ofPool(limited("319Mi"))).toEqual([`endpointPicker.${least}`, `endpointPicker.${least}`]);
  expect(ofRouter(limited("319Mi"))).toEqual([`roles[1].${least}`]);
  expect(ofShared({ ports: { count: 1 }, ...limited("319Mi") })).toEqual([least]);
  expect(of(modelRouterSpecKind, limited("319Mi"))).toEqual([least]);
  expect(of(importedPoolSpecKind, { picker: limited("319Mi") })).toEqual([`picker.${least}`]);
});

it("a shared picker needs more memory for more ports", () => {
  expect(ofShared({ ports: { count: 1_000 }, ...limited("400Mi") })).toEqual([
    "resources.limits.memory is 400Mi with ports for 1000 pools; at least 520Mi",
  ]);
  expect(ofShared({ ports: { count: 1_000 }, ...limited("520Mi") })).toEqual([]);
});

it.each([{}, limited("320Mi"), { resources: { limits: { cpu: 1 } } }, { resources: {} }])(
  "resources %j give a program enough memory",
  (fields) => {
    expect([...ofPool(fields), ...ofRouter(fields)]).toEqual([]);
    expect(ofShared({ ports: { count: 1 }, ...fields })).toEqual([]);
  },
);

it("the default memory is enough for the largest shared picker", () => {
  expect(ofShared({ ports: { count: 1_000 } })).toEqual([]);
});
