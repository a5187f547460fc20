import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { fromManifest, type InferenceService, parseInferenceService } from "../sdk/index.ts";
import { inferenceServiceKind } from "../sdk/spec/inference-service-manifest.ts";
import { readDocuments } from "../testing/repository.ts";

/**
 * A service that the demo deploys: the service of the program, or the service of an example behind a Gateway that the
 * demo adds.
 */
export interface Story {
  readonly title: string;
  readonly service: InferenceService;
  /** GPUs of the demo's cluster. Default: the number that all replicas need. */
  readonly gpus?: number;
  /** Writes the service as a manifest and returns its path. */
  writeTo(folder: string): string;
}

const stories: Record<number, { title: string; example: string }> = {
  1: { title: "a monolithic service", example: "monolithic" },
  2: { title: "disaggregated prefill and decode", example: "disaggregated" },
  3: { title: "a multi-node service", example: "multi-node" },
  4: {
    title: "disaggregated prefill and decode over several nodes",
    example: "disaggregated-multi-node",
  },
};

export const storyNumbers = Object.keys(stories);

interface Document {
  metadata: object;
  spec: { roles: Array<{ componentType: string }> };
}

const router = {
  name: "router",
  componentType: "router",
  gateway: {
    gatewayClassName: "demo",
    listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
  },
};

/** @param namespace where the service is deployed */
export function readStory(number: number, namespace: string): Story {
  const { title = "", example = "" } = stories[number] ?? {};
  const [document] = readDocuments<Document>(`examples/${example}/service.yaml`);
  if (document === undefined) throw new Error(`story ${number} has no document`);
  const engines = document.spec.roles.filter(({ componentType }) => componentType !== "router");
  const spec = { ...document.spec, roles: [...engines, router] };
  return storyOf(`Story ${number}, ${title}`, { ...document, spec }, namespace);
}

/** The service of the program that the first minute shows, with its router unchanged. */
export const programStory = ({ metadata, spec }: InferenceService, namespace: string): Story => ({
  ...storyOf("The same program", { ...inferenceServiceKind, metadata, spec }, namespace),
  gpus: 24,
});

function storyOf(title: string, document: Document, namespace: string): Story {
  const manifest = { ...document, metadata: { ...document.metadata, namespace } };
  return {
    title,
    service: parseInferenceService(fromManifest(manifest)),
    writeTo(folder) {
      const file = manifestIn(folder);
      writeFileSync(file, stringify(manifest, { aliasDuplicateObjects: false }));
      return file;
    },
  };
}

/** Path of the manifest that a run writes into its folder. */
export const manifestIn = (folder: string): string => join(folder, "service.yaml");
