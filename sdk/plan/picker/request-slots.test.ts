import { expect, it } from "vitest";
import { service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { parseInferenceService } from "../../validate/inference-service.ts";
import { requestSlots } from "./request-slots.ts";

const slotsOf = (roles: Parameters<typeof service>[0], fields: object = {}) => {
  const { metadata, spec } = service(roles);
  return requestSlots(parseInferenceService({ metadata, spec: { ...spec, ...fields } }).spec);
};
const engine = (...args: string[]) =>
  worker({ template: vllmTemplate(1, { args: ["serve", "m", ...args] }) });

it.each<readonly [string, Parameters<typeof service>[0], object, number | undefined]>([
  ["an option", [engine("--max-num-seqs", "64")], {}, 64],
  ["a large device", [engine()], { accelerator: "h100-sxm" }, 1_024],
  ["a small device", [engine()], { accelerator: "l4" }, 256],
  ["an A100, which vLLM excludes by its name", [engine()], { accelerator: "a100-sxm-80gb" }, 256],
  ["an unknown device", [engine()], {}, undefined],
  ["an option of unknown value", [engine("--max-num-seqs", "$(SEQUENCES)")], {}, undefined],
  [
    "SGLang, which computes its default",
    [
      worker({
        template: vllmTemplate(1, {
          image: "lmsysorg/sglang:v0.5.20",
          args: ["python3", "-m", "sglang.launch_server", "--model-path", "m", "--host", "0.0.0.0"],
        }),
      }),
    ],
    { accelerator: "h100-sxm" },
    undefined,
  ],
])("requestSlots of %s", (_, roles, fields, expected) => {
  expect(slotsOf(roles, fields)).toBe(expected);
});

it("counts the fewest of all roles, and each rank behind a port", () => {
  const roles = [engine("--max-num-seqs", "64"), { ...engine("--max-num-seqs", "32"), name: "b" }];
  expect(slotsOf(roles)).toBe(32);
  const ranks = worker({
    template: vllmTemplate(2, {
      args: ["serve", "m", "--max-num-seqs", "8", "--data-parallel-size", "2"],
    }),
  });
  expect(slotsOf([ranks])).toBe(16);
});
