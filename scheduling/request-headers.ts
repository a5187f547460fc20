/** Request headers by lower-case name. Where a name came twice, the first value. */
export type RequestHeaders = ReadonlyMap<string, string>;
