/** Request headers by lower-case name. If a name occurs twice, the first value counts. */
export type RequestHeaders = Pick<ReadonlyMap<string, string>, "get" | "has">;
