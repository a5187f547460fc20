import { Command } from "commander";
import type { Action } from "../action.ts";
import type { PushOptions } from "../bundle/push.ts";
import { plainHttpOption, realmOption } from "../options.ts";

export const pushCommand = (action: Action) =>
  new Command("push")
    .summary("copy the images of a bundle to a registry")
    .description(
      "Copies every image of a folder that bundle wrote to a registry, by tag and by digest. Sends only blobs that the registry lacks. Needs no network except to that registry.",
    )
    .argument("<folder>", "folder of the bundle")
    .requiredOption(
      "--registry <registry>",
      "registry to push to, HOST[:PORT][/PATH], as given to bundle",
    )
    .addOption(plainHttpOption())
    .addOption(realmOption())
    .addHelpText("after", examples)
    .action((folder: string, options: PushOptions) =>
      action(async (terminal) =>
        (await import("../bundle/push.ts")).push(folder, options, terminal),
      ),
    );

const examples = `
Reads the logins of docker login.

Examples:
  npx pulumi-inference push bundle --registry registry.example.com/inference
  npx pulumi-inference push bundle --registry localhost:5000`;
