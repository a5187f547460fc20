import type { Manifest } from "../../sdk/kubernetes/manifest.ts";
import { planParsed } from "../../sdk/plan/inference-service.ts";
import { exitCode, Problems } from "../exit-code.ts";
import { readServices } from "../input/services.ts";
import { formatYaml, formatYamlStream } from "../output/yaml.ts";
import type { Terminal } from "../terminal.ts";
import { nameProblems } from "./name-problems.ts";
import { writeFolder } from "./write-folder.ts";

export interface RenderOptions {
  file: string[];
  output?: string;
  force: boolean;
  format: "yaml" | "json";
}

/** Prints the objects of all services, or writes them into a folder. */
export async function render(options: RenderOptions, terminal: Terminal): Promise<number> {
  const services = await readServices(options.file, terminal);
  const planned = services.map(({ place, service }) => ({
    place,
    name: service.metadata.name,
    manifests: planParsed(service),
  }));
  const problems = nameProblems(planned);
  if (problems.length > 0) throw new Problems(problems);

  const manifests = planned.flatMap((service) => service.manifests);
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
