const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Returns a string with the entities of XML, for elements and attributes. */
export const withEntities = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => entities[character] as string);

/** Text of an element, in which spaces replace characters that XML 1.0 does not allow. */
export const escapeXml = (content: string) =>
  withEntities(
    content.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, " "),
  );
