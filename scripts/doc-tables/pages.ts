import { readFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonSources, comparisonTable } from "./comparison.ts";
import { examplesTable } from "./examples.ts";
import { foldersTable, roomsTable } from "./folders.ts";
import { gangLayoutTable } from "./gang-layouts.ts";
import { limitsTable } from "./limits.ts";
import { nodeLabelTable, nodeTaintTable } from "./node-labels.ts";
import { outcomesTable } from "./outcomes.ts";
import { metricsTable, unsupportedMetricsTable } from "./picker-metrics.ts";
import { platformRightsTable } from "./platform-rights.ts";
import { pluginTables } from "./plugins.ts";
import { podPluginSections, sampleTemplate } from "./pod-plugins.ts";
import { guidelinesTable, packsTable, policySections } from "./policies.ts";
import { prerequisitesTable } from "./prerequisites.ts";
import {
  bootstrapSentence,
  demoSentence,
  quickstartSentence,
  requirementsTable,
  toolsSentence,
} from "./requirements.ts";
import { ruleTables } from "./rules.ts";
import { startUpTable, wrongPrograms } from "./start-up.ts";
import {
  acceleratorTable,
  accessTable,
  constantTable,
  executorTable,
  gatewayTable,
  modelTable,
  typeTable,
} from "./variants.ts";

/** Handwritten pages with generated parts between pairs of markers: name and content of each part. */
const pages: Readonly<Record<string, Readonly<Record<string, () => readonly string[]>>>> = {
  "README.md": { bootstrap: bootstrapSentence, comparison: comparisonTable, demo: demoSentence },
  "docs/comparison.md": { sources: comparisonSources },
  "docs/first-hour.md": { tools: toolsSentence },
  "docs/install.md": { requirements: requirementsTable },
  "examples/quickstart/README.md": { needs: quickstartSentence, tools: toolsSentence },
  "docs/access.md": { access: accessTable },
  "docs/air-gap.md": { prerequisites: prerequisitesTable },
  "docs/architecture.md": { folders: foldersTable, rooms: roomsTable },
  "docs/endpoint-picker-plugins.md": pluginTables,
  "docs/flow-control.md": { outcomes: outcomesTable },
  "docs/gangs.md": { layouts: gangLayoutTable, executors: executorTable },
  "docs/gateways.md": { gateways: gatewayTable },
  "docs/gpu-nodes.md": {
    accelerators: acceleratorTable,
    labels: nodeLabelTable,
    taints: nodeTaintTable,
  },
  "docs/limits.md": { limits: limitsTable },
  "docs/load-prediction.md": { constants: constantTable },
  "docs/models-and-accelerators.md": { models: modelTable, "accelerator types": typeTable },
  "docs/picker-metrics.md": {
    metrics: metricsTable,
    "unsupported metrics": unsupportedMetricsTable,
  },
  "docs/pod-plugins-built-in.md": { template: sampleTemplate, plugins: podPluginSections },
  "docs/policies.md": { packs: packsTable, guidelines: guidelinesTable, policies: policySections },
  "docs/rules.md": ruleTables,
  "docs/security.md": { rights: platformRightsTable },
  "docs/start-up.md": { kinds: startUpTable, "wrong programs": wrongPrograms },
  "examples/README.md": { examples: examplesTable },
};

/** Returns the pages with their generated parts, by path from the root. */
export const pagesWithTables = (root: string): Map<string, string> =>
  new Map(
    Object.entries(pages).map(([path, parts]) => [
      path,
      Object.entries(parts).reduce(
        (page, [name, lines]) => withPart(page, name, lines().join("\n").trimEnd()),
        readFileSync(join(root, path), "utf8"),
      ),
    ]),
  );

/** @throws Error for a page without one of the markers */
function withPart(page: string, name: string, content: string): string {
  const [begin, end] = [
    `<!-- begin ${name}: npm run generate -->`,
    `<!-- end ${name}: npm run generate -->`,
  ];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`A page with generated parts needs ${begin} and ${end} in this order.`);
  return `${page.slice(0, from + begin.length)}\n${content}\n${page.slice(to)}`;
}
