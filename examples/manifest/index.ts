import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { InferenceService, type InferenceServiceArgs } from "pulumi-inference";
import { fromManifest, type InferenceServiceInput } from "pulumi-inference/sdk";
import { parseAllDocuments } from "yaml";

/** Deploys every InferenceService document of the file that stack configuration names. */
const file = resolve(pulumi.getRootDirectory(), new pulumi.Config().require("manifest"));

const services = readManifests().map(
  ({ metadata, spec }) =>
    new InferenceService(metadata.name, { metadata, ...spec } as InferenceServiceArgs),
);

export const components = services.map(({ serviceName, components }) => ({
  serviceName,
  components,
}));

/** The documents of the file; what keeps them from being read is said without a stack trace. */
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
