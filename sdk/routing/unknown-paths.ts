/** What a picker does with requests whose body it cannot read, on a pool whose rules such a body would go around. */
export const unknownPathPolicies = ["refuse", "pass"] as const;
export type UnknownPaths = (typeof unknownPathPolicies)[number];
