import type { Manifest } from "../../sdk/kubernetes/manifest.ts";
import { planDocument, plannableKinds } from "../../sdk/plan/document.ts";
import { formatAllPlugged } from "../../sdk/plan/plugged-text.ts";
import type { PluggedTemplate } from "../../sdk/plan/pod-plugins.ts";
import { exitCode, Problems } from "../exit-code.ts";
import { readDocuments } from "../input/documents.ts";
import { type PodPluginOptions, readPodPlugins } from "../input/pod-plugins.ts";
import { formatYaml, formatYamlStream } from "../output/yaml.ts";
import type { Terminal } from "../terminal.ts";
import { nameProblems } from "./name-problems.ts";
import { writeFolder } from "./write-folder.ts";

export interface RenderOptions extends PodPluginOptions {
  file: string[];
  output?: string;
  force: boolean;
  format: "yaml" | "json";
  showPlugins: boolean;
}

const kinds = plannableKinds.map(({ kind, apiVersion }) => `${kind}, ${apiVersion}`).join("; ");

/** Prints the objects that all documents are made of, or writes them into a folder. */
export async function render(options: RenderOptions, terminal: Terminal): Promise<number> {
  const podPlugins = await readPodPlugins(options);
  const plugged: PluggedTemplate[] = [];
  const onPlugged = (template: PluggedTemplate) => void plugged.push(template);
  const planned = await readDocuments(
    options.file,
    terminal,
    ({ place, value }) => ({ place, ...planDocument(value, { podPlugins, onPlugged }) }),
    kinds,
  );
  const problems = nameProblems(planned);
  if (problems.length > 0) throw new Problems(problems);

  if (options.showPlugins) {
    for (const text of formatAllPlugged(plugged)) terminal.err.write(`${text}\n`);
  }
  const manifests = planned.flatMap((document) => document.manifests);
  if (options.output === undefined) {
    terminal.out.write(streams[options.format](manifests));
  } else {
    await writeFolder(options.output, filesOf(manifests, options.format), options);
  }
  return exitCode.ok;
}

const formatJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const streams = { yaml: formatYamlStream, json: formatJson };

const singles = { yaml: formatYaml, json: formatJson };

/** File name to content; the number in front keeps the order of applying. */
function filesOf(manifests: readonly Manifest[], format: RenderOptions["format"]) {
  const digits = Math.max(2, String(manifests.length).length);
  return new Map(
    manifests.map((manifest, at) => {
      const number = String(at + 1).padStart(digits, "0");
      const name = `${number}-${manifest.kind.toLowerCase()}-${manifest.metadata.name}.${format}`;
      return [name, singles[format](manifest)];
    }),
  );
}
