import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GoModule, goModuleFolder, moduleSource, pinnedVersion } from "./go-modules.ts";

/** Variables that each module's own build sets: `-X package.name=value`. */
const variables: { readonly [Module in GoModule]?: () => Record<string, string> } = {
  // Kubernetes' programs derive the API versions they know from the version that is linked in.
  kubernetes() {
    const version = pinnedVersion("kubernetes");
    const [major = "", minor = ""] = version.replace(/^v/, "").split(".");
    const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        `k8s.io/component-base/version.${name}`,
        value,
      ]),
    );
  },
  pulumi: () => ({
    "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": pinnedVersion("pulumi"),
  }),
  // The module's version is a commit between the releases 4.24 and 4.25.
  "pulumi-kubernetes": () => ({
    "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": "4.25.0",
  }),
};

/** Returns the value of `-ldflags` for the programs of a module. */
export function ldflags(module: GoModule): string {
  const values = Object.entries(variables[module]?.() ?? {});
  return ["-s -w", ...values.map(([name, value]) => `-X ${name}=${value}`)].join(" ");
}

/** Files that a program of ours embeds, in the folder of its go.mod, by their paths in the module. */
const embedded: { readonly [Module in GoModule]?: Record<string, string> } = {
  "pulumi-kubernetes": {
    "schema.json": "cmd/pulumi-resource-kubernetes/schema.json",
    "terraform-mapping.json": "cmd/pulumi-resource-kubernetes/terraform-mapping.json",
  },
};

/** Returns the flags by which go finds the files that a program embeds. Writes their list to a folder. */
export async function overlay(module: GoModule, folder: string): Promise<string[]> {
  const files = embedded[module];
  if (files === undefined) return [];
  const source = await moduleSource(module);
  const replaced = Object.entries(files).map(
    ([name, path]) => [join(goModuleFolder(module), name), join(source, path)] as const,
  );
  const list = join(folder, "overlay.json");
  writeFileSync(list, JSON.stringify({ Replace: Object.fromEntries(replaced) }));
  return ["-overlay", list];
}
