/**
 * Texts with which a program refuses to show a page. They are unique, because an API server in between has different
 * ones.
 */
export const refusedByPage = {
  unauthenticated: "Unauthorized: send a token as Authorization: Bearer TOKEN",
  forbidden: "Forbidden: the token's user needs the verb get on this nonResourceURL",
} as const;
