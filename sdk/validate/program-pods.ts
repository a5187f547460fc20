/**
 * Places in the fields of a program's pods whose values may be known only later.
 *
 * @param at where the fields stand, as `endpointPicker\\.`
 */
export const laterInProgramPods = (at: string): RegExp[] =>
  [
    "(image|priorityClassName)$",
    "resources\\.(limits|requests)\\.",
    "(imagePullSecrets|tolerations|topologySpreadConstraints)\\[\\d+\\]\\.",
    "(nodeSelector|affinity)\\.",
  ].map((place) => new RegExp(`^${at}${place}`));
