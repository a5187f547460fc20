import { parse, stringify } from "yaml";
import {
  type InferenceServiceInput,
  type Manifest,
  planDocument,
  planInferenceService,
} from "../sdk/index.ts";
import { inferenceServiceKind } from "../sdk/spec/inference-service-manifest.ts";

/**
 * Returns the planned objects of an example, as YAML documents in the order of creation; its arguments must be plain.
 */
export const plannedService = (service: { name: string; args: unknown }): string =>
  documents(
    planInferenceService({
      metadata: { name: service.name },
      spec: service.args as InferenceServiceInput["spec"],
    }),
  );

/** Returns the same for a document of any kind. */
export const plannedManifests = (document: string): string =>
  documents(planDocument(parse(document)).manifests);

/** Returns the service of an example as a document, for commands that do not read programs. */
export const serviceDocument = ({ name, args }: { name: string; args: unknown }): string =>
  stringify(
    { ...inferenceServiceKind, metadata: { name }, spec: args },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  );

const documents = (manifests: readonly Manifest[]) =>
  manifests
    .map((manifest) => stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 }))
    .join("---\n");
