import { sharedPickerRules } from "../rules/spec/shared-picker.ts";
import { SharedEndpointPickerSpec } from "../spec/shared-endpoint-picker.ts";
import type { SpecKind } from "./spec-kind.ts";

export const sharedEndpointPickerSpecKind: SpecKind<SharedEndpointPickerSpec> = {
  kind: "SharedEndpointPicker",
  schema: SharedEndpointPickerSpec,
  rules: sharedPickerRules,
};
