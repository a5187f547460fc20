import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { andList } from "../errors.ts";
import { kthenaLabel } from "../names.ts";
import type { RoleLayout } from "../topology/role-layout.ts";

/**
 * Event that ends creating and updating: none; all minima of roles, the picker and the route; or the condition
 * Available of the InferenceService object.
 */
export type Wait = "none" | "replicas" | "available";

/** Fields of a service that `readiness` describes. */
interface AwaitedService {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly layouts: readonly RoleLayout[];
  readonly manifests: readonly Manifest[];
}

/**
 * Returns what `pulumi up` waits for, or the objects that it does not wait for and the command that shows them. The
 * text names roles, pickers and routes but no counts, so that it changes with the objects of the plan and not with the
 * scale of a role.
 */
export function serviceReadiness(service: AwaitedService, wait: Wait): string {
  const { metadata, layouts, manifests } = service;
  if (wait === "available")
    return `\`pulumi up\` waits for condition Available of InferenceService ${metadata.name}.`;
  const started = layouts.filter(({ replicas }) => replicas > 0).map(({ role }) => role.name);
  const what = wait === "replicas" ? "minReplicas" : "LeaderWorkerSets";
  const objects = [
    ...(started.length === 0 ? [] : [`${what} of ${plural("role", started)}`]),
    ...awaitable(manifests).map(titleOf),
  ];
  if (objects.length === 0) return nothing;
  if (wait === "replicas") return `\`pulumi up\` waits for ${andList(objects)}.`;
  return (
    `\`pulumi up\` does not wait for ${andList(objects)}. ` +
    `Check them with \`pulumi-inference status ${metadata.name} -n ${metadata.namespace}\`.`
  );
}

/** The same for objects that are never waited for, such as the picker of a pool. */
export function unawaitedReadiness(manifests: readonly Manifest[], namespace: string): string {
  const objects = awaitable(manifests);
  if (objects.length === 0) return nothing;
  const names = objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
  const shown = objects.length === 1 ? "it" : "them";
  return (
    `\`pulumi up\` does not wait for ${andList(objects.map(titleOf))}. ` +
    `Check ${shown} with \`kubectl get ${names.join(" ")} -n ${namespace}\`.`
  );
}

/** The same for the LeaderWorkerSets of a ModelServing, which share one label. */
export const servingReadiness = ({
  name,
  namespace,
}: {
  readonly name: string;
  readonly namespace: string;
}): string =>
  `\`pulumi up\` does not wait for LeaderWorkerSets of ModelServing ${name}. ` +
  `Check them with \`kubectl get leaderworkersets -l ${kthenaLabel.name}=${name} -n ${namespace}\`.`;

const nothing = "There is nothing to wait for.";

/**
 * Returns the objects that serve only some time after they are created. LeaderWorkerSets are described by role instead.
 */
const awaitable = (manifests: readonly Manifest[]): Manifest[] =>
  manifests.filter(({ kind }) => kind === "Deployment" || kind === "HTTPRoute");

const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

const plural = (word: string, names: readonly string[]): string =>
  `${word}${names.length === 1 ? "" : "s"} ${andList(names)}`;
