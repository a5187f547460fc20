import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { InferenceService, type InferenceServiceArgs } from "pulumi-inference";
import { fromManifest, type InferenceServiceInput } from "pulumi-inference/sdk";
import { parseAllDocuments } from "yaml";

/** File whose InferenceService documents the program deploys, from the stack configuration. */
const file = resolve(pulumi.getRootDirectory(), new pulumi.Config().require("manifest"));

const services = readManifests().map(
  ({ metadata, spec }) =>
    new InferenceService(metadata.name, { metadata, ...spec } as InferenceServiceArgs),
);

export const components = services.map(({ serviceName, components }) => ({
  serviceName,
  components,
}));

/** Returns the documents of the file. Reports errors without a stack trace. */
function readManifests(): InferenceServiceInput[] {
  try {
    return parseAllDocuments(readFileSync(file, "utf8")).map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return fromManifest(document.toJS({ maxAliasCount: 100 }));
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new pulumi.RunError(`configuration key manifest names ${file}: ${reason}`);
  }
}
