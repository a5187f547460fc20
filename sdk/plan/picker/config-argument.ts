/**
 * Returns the argument that passes an EndpointPickerConfig to a picker. The configuration is part of the picker's
 * Deployment, so a change of it is one update with a rollout, and a rollback restores both. As a ConfigMap, Pulumi would
 * delete and recreate it, and a picker that starts meanwhile would not find it.
 *
 * The kubelet replaces `$(NAME)` in arguments by variables of the environment, and every `$$` by `$`.
 */
export const configArgument = (config: string): string =>
  `--config-text=${config.replaceAll("$", "$$$$")}`;
