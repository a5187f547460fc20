import { Command } from "commander";
import type { Action } from "../action.ts";
import type { ClustersOptions } from "../clusters/clusters.ts";
import { addReadingOptions } from "../options.ts";

export const clustersCommand = (action: Action) =>
  addReadingOptions(
    new Command("clusters")
      .summary("show what the clusters of a set export and import")
      .description(
        "Shows what the clusters of a set export and import, how old the controller's view of each cluster is, and why a pool is not exported. Reads from the multi-cluster controller in the hub, and changes nothing.",
      ),
    "the ClusterSet",
  )
    .option(
      "--url <url>",
      "URL of the controller's metrics port, instead of access through the hub's API server",
    )
    .option("-w, --watch", "poll every two seconds and print changes", false)
    .addHelpText("after", examples)
    .action((options: ClustersOptions) =>
      action(async (terminal) =>
        (await import("../clusters/clusters.ts")).clusters(options, terminal),
      ),
    );

const examples = `
Exits with 1 if the controller does not follow a member, or if a pool is not
exported to every member that should have it; --watch runs until interrupted.
Needs get on services/proxy and create on serviceaccounts/token in the hub.
Without these permissions, set PULUMI_INFERENCE_TOKEN to a token, give --url,
and run: kubectl port-forward service/inference-multi-cluster-controller 9090.

Examples:
  npx pulumi-inference clusters --context hub -n inference-system
  npx pulumi-inference clusters --context hub -n inference-system --watch
  npx pulumi-inference clusters --url http://127.0.0.1:9090
  npx pulumi-inference clusters --format json |
    jq '.members[] | select(.state != "current")'`;
