import { groups } from "./groups.ts";

/** Versions of EndpointPickerConfig, the file of a picker's plugins, the one that plans write first. */
export const endpointPickerConfigVersions = [
  `${groups.llmD}/v1alpha1`,
  `${groups.llmD}/v1`,
  `${groups.inferenceExperimental}/v1alpha1`,
] as const;

export const [endpointPickerConfigVersion] = endpointPickerConfigVersions;
