import { formatConfigProblem } from "../../../scheduling/config/config-error.ts";
import { readPickerConfig } from "../../../scheduling/config/read.ts";
import type { Path } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import type { EndpointPicker } from "../../spec/llm-server-pool.ts";
import { isRouter } from "../../spec/role.ts";
import { type PartialSpec, routers } from "../helpers/partial-spec.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";

/** Returns the problems with which a picker refuses to start, in the words of its log. */
export const pickerConfigFindings = (text: string, path: Path): Finding[] =>
  readPickerConfig(text).problems.map((problem) => ({
    path,
    given: `is not valid: ${formatConfigProblem(problem)}`,
    allowed: "an EndpointPickerConfig that the endpoint picker can load",
    fix: "Correct it. docs/endpoint-picker-plugins.md lists plugins and parameters.",
  }));

/** Returns the settings that a picker ignores or simplifies. */
export const pickerConfigWarnings = (text: string, path: Path): Finding[] =>
  readPickerConfig(text).warnings.map((warning) => ({
    path,
    given: `is not fully supported: ${warning}`,
    allowed: "the plugins and sections that this picker supports",
    fix: "Remove it, or accept the difference.",
  }));

export const pickerConfigEffect = {
  id: "picker-config-takes-effect",
  title: "The endpoint picker supports everything in its configuration",
  why: "This picker accepts some upstream plugins and sections without implementing them, or implements a simpler version.",
  source: "EndpointPickerConfig, llm-d.ai/v1alpha1, as the picker reads it at its start",
  code: "reference",
} as const;

export const routerConfigHasItsEffect: Invariant<InferenceServiceSpec> = {
  ...pickerConfigEffect,
  *check({ roles }) {
    for (const [index, role] of roles.entries()) {
      if (!isRouter(role) || role.endpointPickerConfig === undefined) continue;
      yield* pickerConfigWarnings(role.endpointPickerConfig, [
        "roles",
        index,
        "endpointPickerConfig",
      ]);
    }
  },
};

export const poolConfigHasItsEffect: Invariant<EndpointPicker> = {
  ...pickerConfigEffect,
  *check({ endpointPickerConfig: text }) {
    if (text === undefined) return;
    yield* pickerConfigWarnings(text, ["endpointPicker", "endpointPickerConfig"]);
  },
};

const rule = {
  id: "picker-config-is-valid",
  title: "The endpoint picker can load its configuration",
  why: "A picker that cannot read its configuration exits at start, and no request is served.",
  source:
    "InferenceService design: 'EndpointPickerConfig is raw YAML for advanced EPP customization'",
  code: "reference",
} as const;

export const routerConfigCanBeUsed: Invariant<PartialSpec> = {
  ...rule,
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      const { endpointPickerConfig: text } = role;
      if (typeof text !== "string" || text === "") continue;
      yield* pickerConfigFindings(text, ["roles", index, "endpointPickerConfig"]);
    }
  },
};

export const poolConfigCanBeUsed: Invariant<RawSpec> = {
  ...rule,
  *check({ spec }) {
    const { endpointPickerConfig: text } = (spec.endpointPicker ?? {}) as Record<string, unknown>;
    if (typeof text !== "string" || text === "") return;
    yield* pickerConfigFindings(text, ["endpointPicker", "endpointPickerConfig"]);
  },
};
