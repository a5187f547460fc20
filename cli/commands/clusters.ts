import { Command } from "commander";
import type { Action } from "../action.ts";
import type { ClustersOptions } from "../clusters/clusters.ts";
import { addReadingOptions } from "../options.ts";

export const clustersCommand = (action: Action) =>
  addReadingOptions(
    new Command("clusters")
      .summary("say what the clusters of a set export and import")
      .description(
        "Says what the clusters of a set export and import, how old the controller's view of each is, and why a pool is not exported. Asks the multi-cluster controller, in the hub. Reads only.",
      ),
    "the ClusterSet",
  )
    .option(
      "--url <url>",
      "address of the controller's metrics port, in place of the way through the hub's API server",
    )
    .option("-w, --watch", "look every two seconds and print what changed", false)
    .addHelpText("after", examples)
    .action((options: ClustersOptions) =>
      action(async (terminal) => {
        const { clusters } = await import("../clusters/clusters.ts");
        return clusters(options, terminal);
      }),
    );

const examples = `
Ends with 1 where a member is not followed or a pool is not exported to all
members that should have it; --watch goes on until it is interrupted. Needs get
on services/proxy and create on serviceaccounts/token in the hub; --url is for
those who may not, as in
kubectl port-forward service/inference-multi-cluster-controller 9090, with a
token in the environment variable PULUMI_INFERENCE_TOKEN.

Examples:
  pulumi-inference clusters --context hub -n inference-system
  pulumi-inference clusters --context hub -n inference-system --watch
  pulumi-inference clusters --url http://127.0.0.1:9090
  pulumi-inference clusters --format json |
    jq '.members[] | select(.state != "current")'`;
