/** The state of a stack, as `pulumi stack export` prints it. */
export interface Exported {
  deployment: { resources: Array<{ urn: string; type: string; inputs?: unknown }> };
}

/** Returns the Kubernetes resources of a state in order of their URNs, whichever engine or program made it. */
export const resourcesOf = ({ deployment }: Exported, stack: string) =>
  deployment.resources
    .filter(({ type }) => type.startsWith("kubernetes:"))
    .map(({ urn, inputs }) => ({ urn: urn.replace(`urn:pulumi:${stack}::`, ""), inputs }))
    .sort((a, b) => a.urn.localeCompare(b.urn));
