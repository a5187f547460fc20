/** The declaration of `isPublished` in sdk/version.ts, and what a release makes of it. */
const unpublished = "export const isPublished: boolean = false;";
const published = "export const isPublished: boolean = true;";

/** sdk/version.ts of a release. @throws Error where the declaration is not found */
export function asPublished(source: string): string {
  if (!source.includes(unpublished))
    throw new Error(`sdk/version.ts does not say \`${unpublished}\`, which a release changes`);
  return source.replace(unpublished, published);
}
