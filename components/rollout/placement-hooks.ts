import * as pulumi from "@pulumi/pulumi";
import { KubeconfigError } from "../../kubernetes/api/kubeconfig.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { placedRoles, placementNotices } from "../../sdk/placement/placement-notice.ts";
import { clusterChoice } from "./cluster-choice.ts";
import { type ClusterNodes, readClusterNodes } from "./cluster-nodes.ts";
import { hookFactory, hooksWork } from "./hook-factory.ts";

/**
 * Returns the hook of a preview that warns if no node of the cluster accepts the pods of a role. It runs before a
 * LeaderWorkerSet is created or updated. Undefined outside a preview, if the pods select no nodes, in a CLI without
 * hooks, and in a preview without a cluster, as in `render`.
 */
export function placementHooks(
  component: pulumi.ComponentResource,
  title: string,
  manifests: readonly Manifest[],
): pulumi.ResourceHookBinding | undefined {
  const roles = placedRoles(manifests);
  if (roles.length === 0 || !pulumi.runtime.isDryRun() || !hooksWork()) return undefined;
  if (new pulumi.Config("pulumi").getBoolean("offline")) return undefined;
  const report = async () => {
    const nodes = await nodesOf(component, title);
    for (const notice of nodes ? placementNotices(roles, nodes.nodes, nodes.pools) : [])
      await pulumi.log.warn(`${title}: ${notice}`, component);
  };
  let once: Promise<void> | undefined;
  const hook = hookFactory("placement", title);
  const notice = hook("notice", () => {
    once ??= report();
    return once;
  });
  return { beforeCreate: [notice], beforeUpdate: [notice] };
}

/** Returns the nodes of the component's cluster; undefined if the cluster is created later or cannot be read. */
async function nodesOf(
  component: pulumi.ComponentResource,
  title: string,
): Promise<ClusterNodes | undefined> {
  try {
    const choice = await clusterChoice(component);
    return choice && (await readClusterNodes(choice));
  } catch (error) {
    // Without a kubeconfig the provider itself reports the missing cluster.
    if (!(error instanceof KubeconfigError))
      await pulumi.log.info(
        `${title}: the nodes of the cluster cannot be read (${messageOf(error)}), so it is not known whether a node accepts the pods. \`pulumi-inference doctor\` checks it later.`,
        component,
      );
    return undefined;
  }
}
