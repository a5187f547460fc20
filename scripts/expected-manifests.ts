import { parse, stringify } from "yaml";
import { fromManifest, planInferenceService } from "../sdk/index.ts";

/** What an example's story plans, as YAML documents in the order of creation. */
export function expectedManifests(story: string): string {
  return planInferenceService(fromManifest(parse(story)))
    .map((manifest) => stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 }))
    .join("---\n");
}
