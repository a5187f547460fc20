import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The fields of an SBOM (CycloneDX JSON) that are checked here. */
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

/** Returns the packages in the lockfile, which include those in the image's bundle. */
export async function makeSbom(folder: string): Promise<Sbom> {
  const flags = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=library"];
  const { stdout } = await run("npm", flags, { cwd: folder, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as Sbom;
}

/** Returns the minimum elements (NTIA 2021) that an SBOM lacks: supplier, version, unique identifier and time. */
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
