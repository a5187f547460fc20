import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { fromManifest, type InferenceService, parseInferenceService } from "../sdk/index.ts";
import { readDocuments } from "../testing/repository.ts";

/** A story of the InferenceService design with a router in front. */
export interface Story {
  readonly number: number;
  readonly title: string;
  readonly service: InferenceService;
  /** Writes the story as a manifest and answers its path from the repository's root. */
  writeTo(folder: string): string;
}

const titles: Record<number, string> = {
  1: "a monolithic service",
  2: "disaggregated prefill and decode",
  3: "a multi-node service",
  4: "disaggregated prefill and decode over several nodes",
};

export const storyNumbers = Object.keys(titles);

interface Document {
  spec: { roles: object[] };
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
  const [document] = readDocuments<Document & { metadata: object }>(
    `test/fixtures/stories/story-${number}.yaml`,
  );
  if (document === undefined) throw new Error(`story ${number} has no document`);
  const roles = [...document.spec.roles, router];
  const metadata = { ...document.metadata, namespace };
  const manifest = { ...document, metadata, spec: { ...document.spec, roles } };
  return {
    number,
    title: titles[number] ?? "",
    service: parseInferenceService(fromManifest(manifest)),
    writeTo(folder) {
      const file = join(folder, `story-${number}.yaml`);
      writeFileSync(file, stringify(manifest));
      return file;
    },
  };
}
