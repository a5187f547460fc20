import { selects } from "../../kubernetes/values/label-selector.ts";
import type { Exporter } from "./exporters.ts";
import type { MemberView, MultiClusterOptions } from "./view.ts";

/** Whether a member should import the pool of an exporter, which may be the member itself. */
export const isTarget = (
  member: Pick<MemberView, "name" | "role" | "labels">,
  exporter: Pick<Exporter, "name" | "to">,
  { importIntoExporters }: MultiClusterOptions,
): boolean =>
  member.role === "member" &&
  (member.name === exporter.name
    ? importIntoExporters
    : exporter.to === undefined || selects(exporter.to, member.labels));

/** Returns the exporters that a member's import should list. */
export const listedIn = (
  member: MemberView,
  exporters: readonly Exporter[],
  options: MultiClusterOptions,
): Exporter[] => exporters.filter((exporter) => isTarget(member, exporter, options));

/** Returns why a member cannot have an import of the name; undefined if it can. */
export function blockedReason(
  { contact, imports, namespace, failure, import: it }: MemberView,
  name: string,
): string | undefined {
  if (contact === "starting") return undefined;
  if (contact === "unknown" || contact === "unreachable") return "its API server is unreachable";
  if (imports === "absent") return "its API server does not serve InferencePoolImport";
  if (namespace === "absent") return `namespace ${JSON.stringify(name)} not found`;
  if (namespace === "terminating") return `namespace ${JSON.stringify(name)} is terminating`;
  if (it?.deleting) return "the import of that name is being deleted";
  return failure;
}

/** Whether a member's import lists a cluster as an exporter of the pool. */
export const imports = ({ import: it }: MemberView, exporter: string): boolean =>
  it?.entry?.exporters.includes(exporter) ?? false;
