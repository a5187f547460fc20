import { groups } from "./groups.ts";

/** Versions of EndpointPickerConfig, the configuration of a picker's plugins. Plans write the first one. */
export const endpointPickerConfigVersions = [
  `${groups.llmD}/v1alpha1`,
  `${groups.llmD}/v1`,
  `${groups.inferenceExperimental}/v1alpha1`,
] as const;

export const [endpointPickerConfigVersion] = endpointPickerConfigVersions;
