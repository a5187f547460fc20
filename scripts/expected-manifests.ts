import { parse, stringify } from "yaml";
import {
  type InferenceServiceInput,
  type Manifest,
  planDocument,
  planInferenceService,
} from "../sdk/index.ts";
import { inferenceServiceKind } from "../sdk/spec/inference-service-manifest.ts";

/** Objects that an example plans, as YAML documents in the order of creation; its arguments are plain. */
export const plannedService = (service: { name: string; args: unknown }): string =>
  documents(
    planInferenceService({
      metadata: { name: service.name },
      spec: service.args as InferenceServiceInput["spec"],
    }),
  );

/** The same of a document of any kind. */
export const plannedManifests = (document: string): string =>
  documents(planDocument(parse(document)).manifests);

/** The service of an example as a document, for commands that read no programs. */
export const serviceDocument = ({ name, args }: { name: string; args: unknown }): string =>
  stringify(
    { ...inferenceServiceKind, metadata: { name }, spec: args },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  );

const documents = (manifests: readonly Manifest[]) =>
  manifests
    .map((manifest) => stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 }))
    .join("---\n");
