/** Request headers by lower-case name. Where a name came twice, the first value. */
export type RequestHeaders = Pick<ReadonlyMap<string, string>, "get" | "has">;
