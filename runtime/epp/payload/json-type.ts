/**
 * Whether engines read a body of this type as JSON. Uploads declare their type; a body without a type is read as JSON.
 */
export const mayBeJson = (type: string | undefined): boolean =>
  type === undefined || type.trim() === "" || /json/i.test(type);
