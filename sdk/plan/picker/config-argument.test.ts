import fc from "fast-check";
import { expect, it } from "vitest";
import { configArgument } from "./config-argument.ts";

/** Expands an argument as the kubelet does (k8s.io/kubernetes, third_party/forked/golang/expansion), with one variable. */
function expanded(argument: string): string {
  return argument.replaceAll(/\$(\$|\(([^)]*)\))/g, (text, next: string, name?: string) =>
    next === "$" ? "$" : name === "POD_NAME" ? "epp-0" : text,
  );
}

it.each(["a: $$5", "a: $$(POD_NAME)", "a: $(POD_NAME)", "a: $x", "$", "$$$", "cost: 5$"])(
  "a picker gets the configuration as it is written: %s",
  (config) => expect(expanded(configArgument(config))).toBe(`--config-text=${config}`),
);

it("a picker gets any configuration as it is written", () => {
  const text = fc.string({ unit: fc.constantFrom("$", "(", ")", "POD_NAME", "a", "\n") });
  fc.assert(
    fc.property(text, (config) => {
      expect(expanded(configArgument(config))).toBe(`--config-text=${config}`);
    }),
  );
});

it("the argument of a configuration without $ is the configuration, so that its picker does not restart", () => {
  expect(configArgument("kind: EndpointPickerConfig\n")).toBe(
    "--config-text=kind: EndpointPickerConfig\n",
  );
});
