const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Returns a string with the entities of XML, for elements and attributes. */
export const withEntities = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => entities[character] as string);
