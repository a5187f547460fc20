import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { args, serviceLinks } from "../../examples/pod-plugins/service.ts";
import {
  formatPluginReports,
  type InferenceServiceInput,
  type Manifest,
  type PluginReport,
  planInferenceService,
  podPluginRegistry,
} from "../../sdk/index.ts";
import type { AttachedCluster } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { objectPath } from "../../testing/object-path.ts";
import { openStack } from "../../testing/programs/pulumi-stack.ts";
import { readDocuments, repositoryRoot } from "../../testing/repository.ts";

/** The examples of pod plugins: their manifests, their previews, and that they settle. */

let cluster: AttachedCluster;
beforeAll(async () => {
  cluster = await sharedCluster();
}, 120_000);
afterAll(() => cluster?.detach());

const examples = join(repositoryRoot, "examples");

it("pod-plugins plans expected.yaml and prints expected-preview.txt", async () => {
  const reports: PluginReport[] = [];
  const input = { metadata: { name: "qwen" }, spec: args } as InferenceServiceInput;
  const manifests = planInferenceService(input, {
    podPlugins: { registry: podPluginRegistry([serviceLinks]) },
    onPluginApplied: (report) => reports.push(report),
  });
  const yaml = manifests.map((manifest) =>
    stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
  await expect(yaml.join("---\n")).toMatchFileSnapshot(join(examples, "pod-plugins/expected.yaml"));
  const text = formatPluginReports(reports).join("\n");
  await expect(`${text}\n`).toMatchFileSnapshot(join(examples, "pod-plugins/expected-preview.txt"));
});

it.each(["pod-plugins", "model-serving"])(
  "%s: the preview lists the changes of each plugin, and a second update changes nothing",
  async (example) => {
    const expected = readDocuments<Manifest>(`examples/${example}/expected.yaml`);
    const stack = openStack({
      ...{ stack: "test", program: { dir: join(examples, example) } },
      kubernetes: { kubeconfig: cluster.kubeconfig },
    });

    const preview = await stack.preview();
    const said = preview.diagnostics.map(({ message }) => message.trimEnd()).join("\n");
    if (example === "pod-plugins") {
      const text = readFileSync(join(examples, example, "expected-preview.txt"), "utf8");
      expect(said).toBe(text.trimEnd());
    } else {
      expect(said).toContain("role npu, worker pods:\n  huawei-ascend-defaults\n    + spec.");
    }
    try {
      expect((await stack.up()).diagnostics).toEqual([]);
      for (const manifest of expected) {
        expect(await cluster.request("GET", objectPath(manifest))).toMatchObject(manifest);
      }
      const again = await stack.up();
      expect(again.summary).toEqual({ same: again.steps.length });
      expect(again.steps.filter(({ type }) => type.startsWith("kubernetes:"))).toHaveLength(
        expected.length,
      );
    } finally {
      expect((await stack.destroy()).diagnostics).toEqual([]);
    }
  },
  120_000,
);
