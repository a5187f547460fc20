import { dirname, resolve } from "node:path";
import { groupOf } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { UsageError } from "../exit-code.ts";
import type { InputManifest } from "./manifests.ts";

const group = "kustomize.config.k8s.io";

/** Whether an object is a file of kustomize, which no API server serves. */
export const isKustomization = ({ value }: InputManifest): boolean =>
  isMap(value) && typeof value.apiVersion === "string" && groupOf(value.apiVersion) === group;

/** Fields that list files and change no object. */
const listing = ["apiVersion", "kind", "metadata", "sortOptions", "resources"];

/** Returns the fields with which a kustomization changes or generates objects. */
export const changesIn = ({ value }: InputManifest): string[] =>
  Object.keys(isMap(value) ? value : {}).filter((field) => !listing.includes(field));

/**
 * Returns the files and folders that a kustomization lists.
 *
 * @throws UsageError for an entry that is not a path
 */
export function resourcesOf({ file, location, value }: InputManifest): string[] {
  const { resources = [] } = isMap(value) ? value : {};
  const entries = Array.isArray(resources) ? resources : [resources];
  return entries.map((entry) => {
    if (typeof entry !== "string" || /^[a-z+]+:\/\/|^git@|\?ref=/.test(entry))
      throw new UsageError(
        `${location}: resources: is ${JSON.stringify(entry)}; allowed: a file or a folder. ${insteadOf(file)}`,
      );
    return resolve(dirname(file), entry);
  });
}

/** Returns the advice for a kustomization that does more than list files. */
export const insteadOf = (file: string): string =>
  `Run \`kustomize build ${dirname(file)}\` and read its output with -`;
