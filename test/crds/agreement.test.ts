import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SpecError } from "../../sdk/errors.ts";
import { builtInSupport } from "../../sdk/plugins/registry.ts";
import { fromManifest } from "../../sdk/spec/inference-service-manifest.ts";
import {
  llmServerPoolFromManifest,
  llmServiceFromManifest,
  modelRewriteFromManifest,
} from "../../sdk/spec/own-kind-manifests.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import {
  llmServerPoolSpecKind,
  llmServiceSpecKind,
  modelRewriteSpecKind,
} from "../../sdk/validate/spec-kinds.ts";

/** An API server and a preview accept and refuse the same examples. */

const podPlugins = { ...builtInSupport, webhookUrls: ["https://plugins.example.com/"] };

const readers: Record<string, (document: unknown) => unknown> = {
  inferenceservices: (document) => parseInferenceService(fromManifest(document), podPlugins),
  llmserverpools: (document) =>
    parseKind(llmServerPoolSpecKind, llmServerPoolFromManifest(document)),
  llmservices: (document) => parseKind(llmServiceSpecKind, llmServiceFromManifest(document)),
  inferencemodelrewrites: (document) =>
    parseKind(modelRewriteSpecKind, modelRewriteFromManifest(document)),
};

/** Objects of FusionInfer's operator stay valid in the cluster, whatever this project can plan. */
const onlyForServers = ["inferenceservices/valid/least"];

const examples = (plural: string, verdict: string) => {
  const folder = join(import.meta.dirname, "examples", plural, verdict);
  return readdirSync(folder)
    .map((file) => basename(file, ".yaml"))
    .filter((name) => !onlyForServers.includes(`${plural}/${verdict}/${name}`))
    .map((name) => {
      const document = parse(readFileSync(join(folder, `${name}.yaml`), "utf8"));
      return [name, { ...document, metadata: { ...document.metadata, name } }] as const;
    });
};

describe.each(Object.entries(readers))("%s", (plural, read) => {
  it.each(examples(plural, "valid"))("%s is accepted", (_name, document) => {
    expect(() => read(document)).not.toThrow();
  });

  it.each(examples(plural, "invalid"))("%s is refused", (_name, document) => {
    expect(() => read(document)).toThrow(SpecError);
  });
});
