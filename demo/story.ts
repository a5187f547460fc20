import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { fromManifest, type InferenceService, parseInferenceService } from "../sdk/index.ts";
import { readDocuments } from "../testing/repository.ts";

/** A story of the InferenceService design: the service of an example, behind a gateway of the demo's own. */
export interface Story {
  readonly number: number;
  readonly title: string;
  readonly service: InferenceService;
  /** Writes the story as a manifest and answers its path from the repository's root. */
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
  const [document] = readDocuments<Document & { metadata: object }>(
    `examples/${example}/service.yaml`,
  );
  if (document === undefined) throw new Error(`story ${number} has no document`);
  const engines = document.spec.roles.filter(({ componentType }) => componentType !== "router");
  const roles = [...engines, router];
  const metadata = { ...document.metadata, namespace };
  const manifest = { ...document, metadata, spec: { ...document.spec, roles } };
  return {
    number,
    title,
    service: parseInferenceService(fromManifest(manifest)),
    writeTo(folder) {
      const file = join(folder, `story-${number}.yaml`);
      writeFileSync(file, stringify(manifest));
      return file;
    },
  };
}
