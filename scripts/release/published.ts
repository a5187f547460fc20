/** The declaration of `isPublished` in sdk/version.ts, and its replacement in a release. */
const unpublished = "export const isPublished: boolean = false;";
const published = "export const isPublished: boolean = true;";

/** Returns sdk/version.ts of a release. @throws Error if the declaration is not found */
export function asPublished(source: string): string {
  if (!source.includes(unpublished))
    throw new Error(`sdk/version.ts does not say \`${unpublished}\`, which a release changes`);
  return source.replace(unpublished, published);
}
