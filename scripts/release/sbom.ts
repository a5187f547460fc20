import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A list of parts in CycloneDX's JSON, as far as it is looked into here. */
export interface Sbom {
  readonly bomFormat?: string;
  readonly specVersion?: string;
  readonly metadata?: { readonly timestamp?: string; readonly component?: Part };
  readonly components?: readonly Part[];
}

interface Part {
  readonly name?: string;
  readonly version?: string;
  readonly purl?: string;
}

/** The packages of the lockfile: those that go into the image's bundle are among them. */
export async function makeSbom(folder: string): Promise<Sbom> {
  const flags = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=library"];
  const { stdout } = await run("npm", flags, { cwd: folder, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as Sbom;
}

/** What a list of parts lacks of the minimum elements (NTIA 2021): who, which version, what is unique, when. */
export function sbomProblems(sbom: Sbom, name: string, version: string): string[] {
  const { bomFormat, specVersion, metadata, components = [] } = sbom;
  const about = metadata?.component;
  return [
    ...(bomFormat === "CycloneDX" && specVersion !== undefined ? [] : ["it is not CycloneDX"]),
    ...(metadata?.timestamp === undefined ? ["it has no timestamp"] : []),
    ...(about?.purl === `pkg:npm/${name}@${version}` ? [] : [`it is not of ${name} ${version}`]),
    ...(components.length === 0 ? ["it lists no part"] : []),
    ...components
      .filter((part) => !part.name || !part.version || !part.purl)
      .map((part) => `part ${part.name ?? "without a name"} has no name, version or purl`),
  ];
}
