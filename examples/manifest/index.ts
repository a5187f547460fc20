import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { InferenceService, type InferenceServiceArgs } from "pulumi-inference";
import { fromManifest } from "pulumi-inference/sdk";
import { parseAllDocuments } from "yaml";

/** Deploys every InferenceService document of the file that stack configuration names. */
const file = resolve(pulumi.getRootDirectory(), new pulumi.Config().require("manifest"));

const services = parseAllDocuments(readFileSync(file, "utf8")).map((document) => {
  const { metadata, spec } = fromManifest(document.toJS({ maxAliasCount: 100 }));
  return new InferenceService(metadata.name, { metadata, ...spec } as InferenceServiceArgs);
});

export const components = services.map(({ serviceName, components }) => ({
  serviceName,
  components,
}));
