import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as disaggregated from "../examples/disaggregated/service.ts";
import * as disaggregatedMultiNode from "../examples/disaggregated-multi-node/service.ts";
import * as lora from "../examples/lora/service.ts";
import * as monolithic from "../examples/monolithic/service.ts";
import * as multiNode from "../examples/multi-node/service.ts";
import * as sglang from "../examples/sglang/service.ts";
import {
  argumentTypes,
  argumentTypesElsewhere,
  argumentTypesElsewhereFile,
  argumentTypesFile,
} from "./argument-types.ts";
import { crdFiles } from "./crd-files.ts";
import { dashboardFiles } from "./dashboards/index.ts";
import { pagesWithTables } from "./doc-tables/pages.ts";
import { plannedManifests, plannedService, serviceDocument } from "./expected-manifests.ts";
import { kubernetesTypes, kubernetesTypesFile } from "./kubernetes-types.ts";
import { pictures } from "./pictures/index.ts";
import { referencePages } from "./reference-pages.ts";
import { componentSchema } from "./schema/component-schema.ts";
import { schemaFile } from "./schema/package-schema.ts";

/**
 * `npm run generate`: writes every generated file of the repository. With `--check`, it writes nothing and fails if a
 * file differs.
 */

const root = join(import.meta.dirname, "..");

/** Examples of the design's stories, with documents for commands that do not read programs. */
const stories = {
  monolithic,
  disaggregated,
  "multi-node": multiNode,
  "disaggregated-multi-node": disaggregatedMultiNode,
};

/** Examples with an `expected.yaml`. */
const services = { ...stories, sglang, lora };

/** Returns content by path from the repository's root; undefined for a file that must be deleted. */
function generatedFiles(): Map<string, string | undefined> {
  const files = crdFiles(root);
  files.set(kubernetesTypesFile, kubernetesTypes());
  files.set(argumentTypesFile, argumentTypes());
  files.set(argumentTypesElsewhereFile, argumentTypesElsewhere());
  files.set(schemaFile, componentSchema());
  for (const [path, text] of referencePages()) files.set(path, text);
  for (const [path, page] of pagesWithTables(root)) files.set(path, page);
  for (const [path, svg] of pictures(root)) files.set(path, svg);
  for (const [path, json] of dashboardFiles()) files.set(path, json);
  const serving = readFileSync(join(root, "examples/model-serving/model-serving.yaml"), "utf8");
  files.set("examples/model-serving/expected.yaml", plannedManifests(serving));
  for (const [example, service] of Object.entries(services))
    files.set(`examples/${example}/expected.yaml`, plannedService(service));
  for (const [example, service] of Object.entries(stories))
    files.set(`examples/${example}/service.yaml`, serviceDocument(service));
  return files;
}

function isCurrent(path: string, content: string | undefined): boolean {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, "utf8") === content : content === undefined;
}

function write(path: string, content: string | undefined): void {
  const file = join(root, path);
  if (content === undefined) {
    rmSync(file);
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const check = process.argv.includes("--check");
const stale = [...generatedFiles()].filter(([path, content]) => !isCurrent(path, content));
for (const [path, content] of stale) {
  if (!check) write(path, content);
  console.error(check ? `${path} is not up to date` : `wrote ${path}`);
}
if (check && stale.length > 0) {
  console.error("Run `npm run generate` and commit what it writes.");
  process.exitCode = 1;
}
