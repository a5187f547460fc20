/** How a program refuses to show a page: in words of its own, since an API server that passes them on has others. */
export const refusedByPage = {
  unauthenticated: "Unauthorized: send a token as Authorization: Bearer TOKEN",
  forbidden: "Forbidden: the token's user needs the verb get on this nonResourceURL",
} as const;
