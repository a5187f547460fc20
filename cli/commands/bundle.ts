import { Command } from "commander";
import type { Action } from "../action.ts";
import type { BundleOptions } from "../bundle/bundle.ts";
import {
  addInputs,
  inputsOf,
  parseNames,
  plainHttpOption,
  pluginModulesOption,
  realmOption,
  webhookPluginUrlsOption,
} from "../options.ts";

export const bundleCommand = (action: Action) =>
  addInputs(new Command("bundle"))
    .summary("write manifests, CRDs and every image into a folder, for a cluster without Internet")
    .description(
      "Writes what a cluster without Internet needs into a folder: the objects that render prints, this project's CRDs, the cluster's prerequisites in tested versions, and all of their images as an OCI image layout. Manifests name each image by its digest. bundle.lock.json lists versions, digests and files.",
    )
    .requiredOption("-o, --output <folder>", "folder of the bundle")
    .option(
      "--registry <registry>",
      "registry that the manifests name instead of the images' own, HOST[:PORT][/PATH]",
    )
    .option(
      "--platform <platform>",
      "bundle one platform of each image, such as linux/amd64 (default: all)",
    )
    .option(
      "--prerequisites <names>",
      "all, none, or some of gateway-api, inference-extension, lws, volcano, keda (default: all)",
      parseNames,
    )
    .option("--update", "bundle the new image of a tag that moved since the last run", false)
    .option("--force", "overwrite edited files in the folder", false)
    .option("-s, --stack <name>", "stack whose configuration the program reads", "dev")
    .option(
      "--mirror <mirrors...>",
      "registries to read instead of others, REGISTRY=HOST[:PORT][/PATH]",
    )
    .addOption(plainHttpOption())
    .addOption(realmOption())
    .addOption(pluginModulesOption())
    .addOption(webhookPluginUrlsOption())
    .addHelpText("after", examples)
    .action((paths: string[], options: BundleOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) =>
        (await import("../bundle/bundle.ts")).bundle(inputs, options, terminal),
      );
    });

const examples = `
Reads the logins of docker login. A repeated run keeps the blobs that are in the
folder, and continues interrupted downloads. Exits with 1 if an image cannot
be found or downloaded, or if a tag moved; all problems are printed.

Examples:
  npx pulumi-inference bundle -f service.yaml -o bundle --registry registry.example.com/inference
  npx pulumi-inference bundle . -s prod -o bundle --platform linux/amd64
  npx pulumi-inference push bundle --registry registry.example.com/inference`;
