/** Whether engines take a body of this type for JSON: uploads say what they are, and what says nothing is JSON to them. */
export const mayBeJson = (type: string | undefined): boolean =>
  type === undefined || type.trim() === "" || /json/i.test(type);
