/** Returns the text below the heading of a version. @throws Error if there is none */
export function sectionOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === version);
  const body = section?.slice(section.indexOf("\n") + 1).trim() ?? "";
  if (body === "")
    throw new Error(`CHANGELOG.md has no text under \`## ${version}\`: say what is new in it`);
  return body;
}
